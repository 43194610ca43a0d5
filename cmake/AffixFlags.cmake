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

set(affix_sanitize_flags "")
if(AFFIX_SANITIZE)
    set(affix_sanitize_flags -fsanitize=${AFFIX_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
endif()

function(affix_flags target)
    target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L)
    target_compile_options(${target} PRIVATE ${affix_warnings} ${affix_arithmetic} -fvisibility=hidden
                                             ${affix_sanitize_flags})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE" OR type STREQUAL "SHARED_LIBRARY")
        target_link_options(${target} PRIVATE ${affix_sanitize_flags})
    endif()
endfunction()
