# The program golden: hashes of many short runs. tools/golden includes this file into other revisions too, from outside.
get_filename_component(golden_folder ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
file(GLOB golden_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.c)
add_executable(golden ${golden_sources})
affix_flags(golden)
target_include_directories(golden PRIVATE ${PROJECT_SOURCE_DIR}/include ${golden_folder})
target_link_libraries(golden PRIVATE affix_cases affix_static m)
