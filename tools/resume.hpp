// What `talus run --resume` finds of an earlier run, and whether it may go on with it.
#pragma once

#include <filesystem>

#include "io/scene_reader.hpp"

namespace talus {

enum class ResumeFrom { start, checkpoint, end, nothing };  // nothing: it is done

struct Resumption {
  ResumeFrom from = ResumeFrom::start;
  double end = 0;         // to which time the run goes [s]; 0: the scene's
  bool replaces = false;  // a file of the same run that has nothing to go on from
};

// `until` is the end that was asked for, 0 for the one the run had. Throws InputError where the
// file holds the run of another scene or has come farther than `until`.
Resumption resumption(const std::filesystem::path& output, const SceneDocument& document,
                      double until);

}  // namespace talus
