# affix_flags(target): the language, the warnings and the arithmetic that every target of ours is built with.

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

set(affix_warnings -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wpointer-arith)
if(AFFIX_WERROR)
    list(APPEND affix_warnings -Werror)
endif()

# Equal bits everywhere: a multiply and an add are fused only where the source says so.
set(affix_arithmetic -ffp-contract=off -fno-math-errno)

# What makes an error of ours harder to use against whoever runs it: checks of the stack and of copies of known size, calls that
# can only land where functions begin, tables of addresses that are read-only before main. The wide kernels go without what
# costs there (cmake/AffixWide.cmake). Sanitizers see more, and do not get along with the checked copies.
set(affix_harden_compile "")
set(affix_harden_link "")
if(AFFIX_HARDEN AND NOT AFFIX_SANITIZE)
    include(CheckCCompilerFlag)
    include(CheckPIESupported)
    check_pie_supported(OUTPUT_VARIABLE pie_log LANGUAGES C)
    foreach(flag -fstack-protector-strong -fstack-clash-protection -fcf-protection=full -mbranch-protection=standard)
        string(MAKE_C_IDENTIFIER "AFFIX_HAS${flag}" has)
        check_c_compiler_flag("-Werror ${flag}" ${has})
        if(${has})
            list(APPEND affix_harden_compile ${flag})
        endif()
    endforeach()
    # It needs optimisation. Some compilers set a level by themselves.
    list(APPEND affix_harden_compile "$<$<CONFIG:Release,RelWithDebInfo,MinSizeRel>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
    if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
        set(affix_harden_link LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)
    endif()
endif()

set(affix_sanitize_flags "")
if(AFFIX_SANITIZE)
    set(affix_sanitize_flags -fsanitize=${AFFIX_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
endif()

# base/assert.h
set(affix_assertions "")
if(AFFIX_ASSERT STREQUAL "AUTO" AND (AFFIX_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Debug"))
    set(affix_assertions AFXI_ASSERTIONS=1)
elseif(AFFIX_ASSERT AND NOT AFFIX_ASSERT STREQUAL "AUTO")
    set(affix_assertions AFXI_ASSERTIONS=1)
endif()

function(affix_flags target)
    target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L ${affix_assertions})
    target_compile_options(${target} PRIVATE ${affix_warnings} ${affix_arithmetic} -fvisibility=hidden
                                             ${affix_harden_compile} ${affix_sanitize_flags})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE" OR type STREQUAL "SHARED_LIBRARY")
        target_link_options(${target} PRIVATE ${affix_harden_link} ${affix_sanitize_flags})
    endif()
endfunction()
