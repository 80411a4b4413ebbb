# What `cmake --install` puts where: libraries, modules, headers, command, manual pages, models.
include(CMakePackageConfigHelpers)
set(_cmakedir "${CMAKE_INSTALL_LIBDIR}/cmake/trammel")
install(TARGETS
    trammel_shared trammel_plot_shared trammel_view_shared
    EXPORT trammel-shared)
install(TARGETS
    trammel_static trammel_plot_static trammel_view_static
    EXPORT trammel-static)
if(TRAMMEL_MODULE_TARGETS)
    install(TARGETS ${TRAMMEL_MODULE_TARGETS}
        LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/${TRAMMEL_MODULE_FOLDER}")
endif()
if(TRAMMEL_HAVE_CORE)
    install(TARGETS trammel_core_shared trammel_core_static)
    install(TARGETS trammel_fmu LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/${TRAMMEL_MODULE_FOLDER}")
endif()
install(EXPORT trammel-shared NAMESPACE trammel:: DESTINATION ${_cmakedir})
install(EXPORT trammel-static NAMESPACE trammel:: DESTINATION ${_cmakedir})
configure_package_config_file(cmake/trammel-config.cmake.in trammel-config.cmake
    INSTALL_DESTINATION ${_cmakedir})
write_basic_package_version_file(trammel-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
    "${PROJECT_BINARY_DIR}/trammel-config.cmake" "${PROJECT_BINARY_DIR}/trammel-config-version.cmake"
    cmake/TrammelDependencies.cmake DESTINATION ${_cmakedir})

# The prefix may be given as late as `cmake --install --prefix`, so the .pc file is written then.
foreach(dir LIBDIR INCLUDEDIR)
    if(IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
        set(TRAMMEL_PC_${dir} "${CMAKE_INSTALL_${dir}}")
    else()
        set(TRAMMEL_PC_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
    endif()
endforeach()
set(_install_prefix "${CMAKE_INSTALL_PREFIX}")
set(CMAKE_INSTALL_PREFIX "@CMAKE_INSTALL_PREFIX@")
configure_file(cmake/trammel.pc.in trammel.pc.in @ONLY)
set(CMAKE_INSTALL_PREFIX "${_install_prefix}")
set(_pc "${PROJECT_BINARY_DIR}/trammel.pc")
install(CODE "configure_file(\"${_pc}.in\" \"${_pc}\" @ONLY)")
install(FILES "${PROJECT_BINARY_DIR}/trammel.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(DIRECTORY include/trammel DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET trammel_command)
    install(TARGETS trammel_command)
    install(DIRECTORY "${TRAMMEL_SHELL_FILES}/man1" DESTINATION ${CMAKE_INSTALL_MANDIR})
    install(FILES "${TRAMMEL_SHELL_FILES}/trammel"
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
    install(FILES "${TRAMMEL_SHELL_FILES}/_trammel" DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES "${TRAMMEL_SHELL_FILES}/trammel.fish"
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
if(EXISTS "${PROJECT_SOURCE_DIR}/models")
    install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/trammel)
endif()
