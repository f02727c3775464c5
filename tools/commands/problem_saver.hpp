// SPDX-License-Identifier: Apache-2.0
// `talus run --save-problem`: saves the contact problems of chosen steps as FCLib files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/world.hpp"

namespace talus {

class ProblemSaver {
 public:
  // Each wish is the number of a step, counted from 1, or `unconverged` for every step that misses
  // the tolerance. Files are written next to the trajectory: RUN.step-000123.hdf5. Throws
  // InputError, also if the file of a numbered step exists and may not be replaced. Which steps
  // miss the tolerance is not known before: a file that exists there is kept.
  ProblemSaver(const std::vector<std::string>& wishes, const std::string& trajectory, bool replace);

  // Throws InputError before the first step if the steps of the scene have no FCLib form.
  template <int D>
  void check(const Scene<D>& scene) const;

  // Call it after every step.
  template <int D>
  void look_at(const World<D>& world, const Certificate& certificate);

  const std::vector<std::filesystem::path>& written() const { return written_; }
  const std::vector<std::filesystem::path>& kept() const { return kept_; }

 private:
  std::filesystem::path path_of(std::int64_t step) const;

  std::filesystem::path trajectory_;
  bool replace_;
  bool unconverged_ = false;
  std::vector<std::int64_t> steps_;
  std::vector<std::filesystem::path> written_, kept_;
};

}  // namespace talus
