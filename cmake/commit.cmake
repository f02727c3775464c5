# SPDX-License-Identifier: Apache-2.0
# Writes the commit of the sources into a C++ file, and only when it changes: then one file is compiled.
#     cmake -DSOURCE=<source folder> -DOUTPUT=<file.cpp> -P commit.cmake
# From a git checkout, with "-changed" where files differ from it; or from a tarball of git archive; else "unknown".
cmake_minimum_required(VERSION 3.25)
file(STRINGS "${SOURCE}/cmake/commit.txt" commit LIMIT_COUNT 1)
if(NOT commit MATCHES "^[0-9a-f]+$")
  set(commit unknown)
  find_program(GIT git)
  if(GIT AND EXISTS "${SOURCE}/.git")
    execute_process(COMMAND ${GIT} -C "${SOURCE}" describe --always --abbrev=40 --exclude=* --dirty=-changed
      OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
    if(NOT failed AND described)
      set(commit ${described})
    endif()
  endif()
endif()
string(REGEX REPLACE "^(............)[0-9a-f]*" "\\1" commit "${commit}")
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [[// Written by cmake/commit.cmake.
#include "tools/terminal/commit.hpp"

namespace talus {

std::string commit() { return "@commit@"; }

}  // namespace talus
]])
