# SPDX-License-Identifier: Apache-2.0
# Installs PUBLIC_HEADERS and the headers of the project that they include, from SOURCE to DESTINATION.
# Inside the project a header is "engine/world.hpp"; installed it is "talus/engine/world.hpp".
cmake_minimum_required(VERSION 3.25)
set(waiting ${PUBLIC_HEADERS})
set(installed)
while(waiting)
  list(POP_FRONT waiting header)
  if(header IN_LIST installed)
    continue()
  endif()
  list(APPEND installed ${header})
  file(READ ${SOURCE}/${header} text)
  string(REGEX MATCHALL "#include \"[^\"]+\"" includes "${text}")
  list(TRANSFORM includes REPLACE "#include \"(.+)\"" "\\1")
  list(APPEND waiting ${includes})
  string(REPLACE "#include \"" "#include \"talus/" text "${text}")
  file(WRITE ${DESTINATION}/${header} "${text}")
endwhile()
