# SPDX-License-Identifier: Apache-2.0
#
# The folders of src/, lowest first. tests/tidy.py holds who may include whom and checks it.

# windrow_folder(path [library...]): src/<path>/*.cc without the tests becomes windrow_<path>.
function(windrow_folder path)
  string(REPLACE "/" "_" name ${path})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${path}/*.cc)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  if(sources)
    add_library(windrow_${name} STATIC ${sources})
    target_link_libraries(windrow_${name} PUBLIC windrow_flags ${ARGN})
  else()
    add_library(windrow_${name} INTERFACE)
    target_link_libraries(windrow_${name} INTERFACE windrow_flags ${ARGN})
  endif()
endfunction()

windrow_folder(base)
windrow_folder(core/spec windrow_base yaml-cpp)
windrow_folder(core/plan windrow_base windrow_core_spec)
windrow_folder(core/table windrow_base windrow_core_spec)
windrow_folder(core/schedule windrow_base windrow_core_spec)
windrow_folder(core/supervise windrow_base windrow_core_schedule)
windrow_folder(core/output windrow_base windrow_core_plan windrow_core_schedule)
windrow_folder(core/progress windrow_base windrow_core_spec windrow_core_schedule)
windrow_folder(core/prune windrow_base)
windrow_folder(os windrow_base)
windrow_folder(monitor windrow_os)
windrow_folder(journal windrow_os windrow_core_schedule windrow_core_plan)
windrow_folder(data/tables windrow_os windrow_core_plan windrow_core_table)
windrow_folder(data/files windrow_data_tables windrow_core_table)
windrow_folder(wire/worker windrow_os windrow_core_spec)
windrow_folder(wire/agent windrow_wire_worker windrow_core_schedule)
windrow_folder(wire/control windrow_core_progress)
windrow_folder(agent windrow_core_supervise windrow_core_output windrow_wire_worker windrow_wire_agent
               windrow_journal)
windrow_folder(master windrow_core_schedule windrow_core_progress windrow_core_output windrow_journal
               windrow_data_files windrow_wire_agent)
windrow_folder(worker windrow_os windrow_core_spec)
windrow_folder(workspace/logs windrow_core_output windrow_core_progress windrow_journal windrow_agent
               windrow_master)
windrow_folder(workspace/worker windrow_os windrow_core_spec windrow_core_supervise windrow_wire_agent)
windrow_folder(workspace/jobs windrow_core_prune windrow_core_output windrow_core_progress
               windrow_journal windrow_wire_control windrow_workspace_worker)
windrow_folder(workspace/prepare windrow_master windrow_worker windrow_workspace_jobs
               windrow_workspace_worker)
windrow_folder(workspace/run windrow_master windrow_agent windrow_monitor windrow_workspace_logs
               windrow_workspace_prepare)
windrow_folder(workspace/trial windrow_workspace_run)
windrow_folder(cli windrow_workspace_run windrow_workspace_trial)

# Every call may throw, and g++ makes branches of it. Without exceptions the branches that are left
# are those of the code; yaml.cc is where what the YAML library throws is caught.
if(WINDROW_COVERAGE)
  foreach(part spec plan table schedule supervise output progress prune)
    target_compile_options(windrow_core_${part} PRIVATE -fno-exceptions)
  endforeach()
  set_source_files_properties(${CMAKE_SOURCE_DIR}/src/core/spec/yaml.cc
    PROPERTIES COMPILE_OPTIONS -fexceptions)
endif()
