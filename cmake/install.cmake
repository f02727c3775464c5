# SPDX-License-Identifier: Apache-2.0
# `cmake --install` gives the program, the bundled scenes, and a library for find_package(talus). In components, for packages:
# program, data (a part of the program), development; tools/python adds python.
include(CMakePackageConfigHelpers)

install(TARGETS talus COMPONENT program)
install(DIRECTORY scenes/ DESTINATION ${CMAKE_INSTALL_DATADIR}/talus/scenes COMPONENT data FILES_MATCHING PATTERN "*.toml" PATTERN "*.md" PATTERN "*.txt" PATTERN "*.stl")
install(DIRECTORY tools/templates/ DESTINATION ${CMAKE_INSTALL_DATADIR}/talus/templates COMPONENT data
  FILES_MATCHING PATTERN "*.toml" PATTERN "*.py")

# The manual page and the completion of shells are printed by the program itself.
install(CODE "
  foreach(page \"${CMAKE_INSTALL_MANDIR}/man1/talus.1|manual\" \"${CMAKE_INSTALL_DATADIR}/bash-completion/completions/talus|completion|bash\"
      \"${CMAKE_INSTALL_DATADIR}/zsh/site-functions/_talus|completion|zsh\")
    string(REPLACE \"|\" \";\" page \"\${page}\")
    list(POP_FRONT page path)
    set(path \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/\${path}\")
    cmake_path(GET path PARENT_PATH folder)
    file(MAKE_DIRECTORY \${folder})
    execute_process(COMMAND $<TARGET_FILE:talus> \${page} OUTPUT_FILE \${path} COMMAND_ERROR_IS_FATAL ANY)
    message(STATUS \"Installing: \${path}\")
  endforeach()" COMPONENT program)

# Headers that a program with the library in it includes, as <talus/engine/world.hpp>; those they include follow.
set(public_headers engine/world.hpp io/fclib/fclib.hpp io/scene/scene_reader.hpp io/trajectory/trajectory_reader.hpp
  io/trajectory/trajectory_writer.hpp)
install(CODE "
  set(SOURCE \"${PROJECT_SOURCE_DIR}\")
  set(PUBLIC_HEADERS \"${public_headers}\")
  set(DESTINATION \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}/talus\")
  include(\"${CMAKE_CURRENT_LIST_DIR}/install_headers.cmake\")" COMPONENT development)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/talus)
install(EXPORT talus NAMESPACE talus:: DESTINATION ${package} FILE talus-targets.cmake COMPONENT development)
configure_package_config_file(cmake/talus-config.cmake.in talus-config.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(talus-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/talus-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/talus-config-version.cmake
        DESTINATION ${package} COMPONENT development)
