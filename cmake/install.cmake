# What `cmake --install` puts beside the programs, and the .deb that `cpack` makes of it all.
include(GNUInstallDirs)
install(FILES cmake/package/bigfoot.cmake cmake/package/bigfoot-config.cmake cmake/package/bigfoot-toolchain.cmake
        DESTINATION lib/cmake/bigfoot)
install(PROGRAMS cmake/package/bigfoot-swap.sh DESTINATION lib/cmake/bigfoot)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/bigfoot-config-version.cmake COMPATIBILITY SameMajorVersion)
install(FILES ${CMAKE_BINARY_DIR}/bigfoot-config-version.cmake DESTINATION lib/cmake/bigfoot)
install(DIRECTORY man/ DESTINATION share/man/man1 FILES_MATCHING PATTERN "*.1")
install(FILES completions/bash/bigfoot DESTINATION share/bash-completion/completions)
install(FILES completions/zsh/_bigfoot DESTINATION share/zsh/vendor-completions)
install(FILES completions/fish/bigfoot.fish DESTINATION share/fish/vendor_completions.d)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION share/doc/bigfoot)
install(DIRECTORY docs examples DESTINATION share/doc/bigfoot)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME bigfoot)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "precise and fast data-race detector for C and C++")
set(CPACK_PACKAGE_CONTACT "The BigFoot authors")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES OFF)  # stacks of the run time's own faults need its symbols
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_DEPENDS
    "clang-${BIGFOOT_LLVM_VERSION}, lld-${BIGFOOT_LLVM_VERSION}, llvm-${BIGFOOT_LLVM_VERSION}, libstdc++6, libz3-4, binutils")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libstdc++-12-dev")
include(CPack)
