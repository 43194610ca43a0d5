# affix_wide(sources...): compiles the wide kernels (src/<room>/<name>_wide.c) once per variant, each into an object
# library affix_wide_<isa>_<lanes> with AFXI_ISA and AFXI_LANES defined. The names of these object libraries are left
# in affix_wide_targets. Which variant runs is chosen at run time. Of builds with sanitizers, only the variants that are chosen
# by default on some machine have them: the others have the same source, and take minutes. Of the build for fuzzing none has: the
# tests run these kernels with sanitizers, and what is fuzzed is what comes before them.

set(affix_wide_variants base:1 base:2)
set(affix_wide_default base_2) # chosen where nobody asks for another
set(affix_wide_flags_base "")
set(affix_x86_variants OFF)
# Copies and clears of a few wide registers must not become calls or string instructions, which cost more; and lanes are
# filled by hand, so the compiler's own packing of scalars only shuffles.
set(affix_wide_common "")
if(affix_harden_compile)
    # They take no input and index by counters of their own (src/CMakeLists.txt has the same for the rooms of the step).
    set(affix_wide_common -fno-stack-protector)
endif()
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
    list(APPEND affix_wide_common -fno-tree-loop-distribute-patterns -fno-tree-slp-vectorize)
endif()
if(AFFIX_X86_VARIANTS AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$" AND CMAKE_SIZEOF_VOID_P EQUAL 8)
    set(affix_x86_variants ON)
    # Bodies that nothing holds, and boxes, go by eight where the machine can, all else by four.
    set(affix_wide_default avx2_4 avx2_8 avx512_8)
    list(APPEND affix_wide_variants avx2:1 avx2:2 avx2:4 avx2:8 avx512:8)
    set(affix_wide_flags_avx2 -mavx2 -mfma)
    set(affix_wide_flags_avx512 -mavx512f -mavx512dq -mavx512vl -mavx2 -mfma -mprefer-vector-width=512)
endif()

function(affix_wide)
    set(targets "")
    if(ARGN)
        foreach(variant IN LISTS affix_wide_variants)
            string(REPLACE ":" ";" parts ${variant})
            list(GET parts 0 isa)
            list(GET parts 1 lanes)
            set(target affix_wide_${isa}_${lanes})
            add_library(${target} OBJECT ${ARGN})
            affix_library_part(${target})
            target_compile_definitions(${target} PRIVATE AFXI_ISA=${isa} AFXI_LANES=${lanes})
            # psabi: passing wide vectors between functions of one file is no matter of ABI for us.
            target_compile_options(${target} PRIVATE ${affix_wide_flags_${isa}} -Wno-psabi ${affix_wide_common})
            if(AFFIX_SANITIZE AND (AFFIX_FUZZ OR NOT "${isa}_${lanes}" IN_LIST affix_wide_default))
                target_compile_options(${target} PRIVATE -fno-sanitize=all)
            endif()
            list(APPEND targets ${target})
        endforeach()
    endif()
    set(affix_wide_targets "${targets}" PARENT_SCOPE)
endfunction()
