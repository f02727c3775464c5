// SPDX-License-Identifier: Apache-2.0
// A system call that failed, as an exception.
#pragma once

#include <cerrno>
#include <system_error>

namespace talus {

[[noreturn]] inline void fail_by_system() {
  throw std::system_error(errno, std::generic_category());
}

}  // namespace talus
