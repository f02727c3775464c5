// SPDX-License-Identifier: Apache-2.0
// Error in the input of a user: a scene, a file, an option. The message is one line: where, what
// was found and what was expected. The program prints it and ends with exit code 2.
#pragma once

#include <stdexcept>
#include <string>

namespace talus {

class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace talus
