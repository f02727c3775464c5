// A file that a scene names with { file = … }: a motion or force in two columns.
#pragma once

#include <string>

namespace talus {

struct SceneRecord {
  std::string name;  // as the scene has it
  std::string text;  // verbatim
};

}  // namespace talus
