# SPDX-License-Identifier: Apache-2.0
# cmake -DCLANG_FORMAT=… -DROOT=… -P format.cmake: fails if a source file is not as clang-format leaves it.
set(sources "")
foreach(folder solvers engine io tools tests)
  file(GLOB_RECURSE found ${ROOT}/${folder}/*.cpp ${ROOT}/${folder}/*.hpp)
  list(APPEND sources ${found})
endforeach()
execute_process(COMMAND ${CLANG_FORMAT} --dry-run -Werror ${sources} RESULT_VARIABLE result)
if(result)
  message(FATAL_ERROR "run clang-format -i on the files above")
endif()
