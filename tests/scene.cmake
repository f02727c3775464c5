# SPDX-License-Identifier: Apache-2.0
# cmake -DTALUS=… -DSCENE=… -DOUTPUT=… -P scene.cmake: runs a scene, then checks its trajectory.
foreach(step "run;${SCENE};-o;${OUTPUT};--force" "check;${OUTPUT}")
  execute_process(COMMAND ${TALUS} ${step} RESULT_VARIABLE result)
  if(result)
    message(FATAL_ERROR "talus ${step} ended with ${result}")
  endif()
endforeach()
