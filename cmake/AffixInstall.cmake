# Headers, the libraries, the program, the schema of scene files, the CMake package (find_package(Affix)) and the pkg-config file.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Affix)

install(DIRECTORY include/affix DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS affix_static affix_shared EXPORT AffixTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# Apart, since only they need jansson and expat where they are used.
install(TARGETS affix_io_static affix_io_shared EXPORT AffixIoTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES schema/affix-scene.schema.json schema/affix-sweep.schema.json
              schema/affix-trace.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/affix)
if(TARGET affix_cli)
    install(TARGETS affix_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    if(TARGET affix_manual)
        set(manual ${PROJECT_BINARY_DIR}/manual)
        install(DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL)
        install(FILES ${manual}/affix.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME affix
                OPTIONAL)
        install(FILES ${manual}/affix.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions RENAME _affix OPTIONAL)
        install(FILES ${manual}/affix.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d OPTIONAL)
    endif()
endif()

install(EXPORT AffixTargets NAMESPACE affix:: DESTINATION ${package_dir})
install(EXPORT AffixIoTargets NAMESPACE affix:: DESTINATION ${package_dir})
configure_package_config_file(cmake/AffixConfig.cmake.in ${PROJECT_BINARY_DIR}/cmake/AffixConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(compatibility SameMinorVersion)
else()
    set(compatibility SameMajorVersion)
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cmake/AffixConfigVersion.cmake COMPATIBILITY ${compatibility})
install(FILES ${PROJECT_BINARY_DIR}/cmake/AffixConfig.cmake ${PROJECT_BINARY_DIR}/cmake/AffixConfigVersion.cmake
        DESTINATION ${package_dir})

# The pkg-config file finds its prefix from where it lies, so that the installed tree can be moved or staged.
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
foreach(kind LIBDIR INCLUDEDIR)
    if(IS_ABSOLUTE "${CMAKE_INSTALL_${kind}}")
        set(pc_${kind} "${CMAKE_INSTALL_${kind}}")
    else()
        set(pc_${kind} "\${prefix}/${CMAKE_INSTALL_${kind}}")
    endif()
endforeach()
if(IS_ABSOLUTE "${pc_dir}")
    set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
    file(RELATIVE_PATH up "/${pc_dir}" "/")
    string(REGEX REPLACE "/$" "" up "${up}")
    set(pc_prefix "\${pcfiledir}/${up}")
endif()
set(pc_libs_private "-lm")
foreach(name IN LISTS affix_order_libraries)
    string(APPEND pc_libs_private " -l${name}")
endforeach()
if(OpenMP_C_FOUND)
    foreach(name IN LISTS OpenMP_C_LIB_NAMES)
        string(APPEND pc_libs_private " -l${name}")
    endforeach()
endif()
configure_file(cmake/affix.pc.in ${PROJECT_BINARY_DIR}/cmake/affix.pc @ONLY)
configure_file(cmake/affix_io.pc.in ${PROJECT_BINARY_DIR}/cmake/affix_io.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cmake/affix.pc ${PROJECT_BINARY_DIR}/cmake/affix_io.pc DESTINATION ${pc_dir})
