// What a user gave cannot be used: a scene, a file, an option. One line that says where, what was
// found and what was expected; the program prints it and ends with code 2.
#pragma once

#include <stdexcept>
#include <string>

namespace talus {

class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace talus
