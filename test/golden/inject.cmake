# For CMAKE_PROJECT_INCLUDE: adds golden.cmake of the folder AFFIX_GOLDEN to whatever revision is being configured.
cmake_language(DEFER CALL include ${AFFIX_GOLDEN}/golden.cmake)
