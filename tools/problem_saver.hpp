// `talus run --save-problem`: contact problems of chosen steps, kept as FCLib files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/world.hpp"

namespace talus {

class ProblemSaver {
 public:
  // Each wish is a step's number, counted from 1, or `unconverged` for every step that misses the
  // tolerance. Files go beside the trajectory: RUN.step-000123.hdf5. Throws InputError.
  ProblemSaver(const std::vector<std::string>& wishes, const std::string& trajectory, bool replace);

  // Throws InputError for scenes whose steps have no FCLib form, before the first of them.
  template <int D>
  void check(const Scene<D>& scene) const;

  // To be called after a step.
  template <int D>
  void look_at(const World<D>& world, const Certificate& certificate);

  const std::vector<std::filesystem::path>& written() const { return written_; }

 private:
  std::filesystem::path path_of(std::int64_t step) const;

  std::filesystem::path trajectory_;
  bool replace_;
  bool unconverged_ = false;
  std::vector<std::int64_t> steps_;
  std::vector<std::filesystem::path> written_;
};

}  // namespace talus
