# `cmake --install` gives the program, the bundled scenes, and a library for find_package(talus).
include(CMakePackageConfigHelpers)

install(TARGETS talus)
install(DIRECTORY scenes/ DESTINATION share/talus/scenes FILES_MATCHING PATTERN "*.toml" PATTERN "*.md")
install(DIRECTORY tools/templates/ DESTINATION share/talus/templates FILES_MATCHING PATTERN "*.toml")
install(EXPORT talus NAMESPACE talus:: DESTINATION lib/cmake/talus FILE talus-targets.cmake)
configure_package_config_file(cmake/talus-config.cmake.in talus-config.cmake INSTALL_DESTINATION lib/cmake/talus)
write_basic_package_version_file(talus-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/talus-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/talus-config-version.cmake
        DESTINATION lib/cmake/talus)
