# SPDX-License-Identifier: Apache-2.0
# cmake -DBUILD=… -DWORK=… -DCONSUMER=… -DOPTIONS=… -P install.cmake: installs the build and uses it from outside.
file(REMOVE_RECURSE ${WORK})
foreach(command
    "${CMAKE_COMMAND};--install;${BUILD};--prefix;${WORK}/prefix"
    "${CMAKE_COMMAND};-S;${CONSUMER};-B;${WORK}/build;-DCMAKE_PREFIX_PATH=${WORK}/prefix;${OPTIONS}"
    "${CMAKE_COMMAND};--build;${WORK}/build"
    "${WORK}/build/consumer;${WORK}/prefix/share/talus/scenes/bouncing.toml"
    "${WORK}/prefix/bin/talus;scenes")
  execute_process(COMMAND ${command} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(result)
    message(FATAL_ERROR "${command}\n${output}")
  endif()
endforeach()
