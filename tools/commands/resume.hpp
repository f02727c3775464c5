// SPDX-License-Identifier: Apache-2.0
// Decides how `talus run --resume` continues an earlier run, and whether it may.
#pragma once

#include <filesystem>

#include "io/scene/scene_reader.hpp"

namespace talus {

enum class ResumeFrom { start, checkpoint, end, nothing };  // nothing: already complete

struct Resumption {
  ResumeFrom from = ResumeFrom::start;
  double end = 0;               // end time of the run [s]; 0: that of the scene
  bool replaces = false;        // replaces a file of the same run that cannot be continued
  std::string stopped_by = {};  // with `nothing`: the stop condition that ended the run, if one did
};

// `until` is the requested end; 0 means the end that the run had. Throws InputError if the file
// holds the run of another scene or is already beyond `until`.
Resumption resumption(const std::filesystem::path& output, const SceneDocument& document,
                      double until);

}  // namespace talus
