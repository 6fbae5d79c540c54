# SPDX-License-Identifier: Apache-2.0
#
# The Python worker travels inside the binary, so that nodes never disagree about it:
# embedded_files.cc holds every file of python/src and python/compat, in order of name.
set(python_folder ${CMAKE_SOURCE_DIR}/python)
file(GLOB_RECURSE embedded CONFIGURE_DEPENDS RELATIVE ${python_folder}
     ${python_folder}/src/*.py ${python_folder}/compat/*.py)
list(SORT embedded)
set(embedded_inputs ${embedded})
list(TRANSFORM embedded_inputs PREPEND ${python_folder}/)
add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/embedded_files.cc
  COMMAND ${CMAKE_COMMAND} -DFROM=${python_folder} "-DFILES=${embedded}"
          -DTO=${CMAKE_BINARY_DIR}/embedded_files.cc -P ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake
  DEPENDS ${embedded_inputs} ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake
  VERBATIM)
target_sources(windrow_workspace_worker PRIVATE ${CMAKE_BINARY_DIR}/embedded_files.cc)
