// SPDX-License-Identifier: Apache-2.0
// A file that a scene names with { file = … }: a motion or force in two columns.
#pragma once

#include <string>
#include <string_view>

#include "engine/model/signal.hpp"

namespace talus {

struct SceneRecord {
  std::string name;  // as the scene has it
  std::string text;  // verbatim
};

// Parses time [s] and value in two columns, separated by blanks or a comma. Times must increase.
// Empty lines and text after # are skipped. `name` is the file name for a SceneError. Messages do
// not quote the file, since an untrusted scene may name any file.
Table parse_record(std::string_view text, const std::string& name);

}  // namespace talus
