// SPDX-License-Identifier: Apache-2.0
#include "workspace/worker/worker_settings.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

JobSpec small_job() {
  JobSpec spec;
  spec.code = "/code";
  spec.entry_script = "score.py";
  spec.arguments = {"--model", "a b"};
  spec.inputs = {{.name = "data", .paths = {"/in"}}};
  spec.input_data = {"data"};
  spec.outputs = {{.name = "rows", .path = "/out"}};
  spec.append_row_to = {"rows"};
  return spec;
}

std::vector<std::string> argv_of(const JobSpec& spec) {
  return worker_settings(spec, resolve_job_paths(spec, "/job"), 4).argv;
}

using Arguments = std::vector<std::string>;

// C6
TEST(WorkerSettings, ArgvIsTheScriptItsArgumentsAndTheLevelUnlessItWasSaid) {
  JobSpec spec = small_job();
  EXPECT_EQ(argv_of(spec),
            (Arguments{"/code/score.py", "--model", "a b", "--logging_level", "INFO"}));
  for (const Arguments& said : {Arguments{"--logging_level", "DEBUG"}, {"--logging_level=DEBUG"}}) {
    spec.arguments = said;
    Arguments wanted = {"/code/score.py"};
    wanted.insert(wanted.end(), said.begin(), said.end());
    EXPECT_EQ(argv_of(spec), wanted);
  }
  spec.arguments = {"--logging_levels"};
  EXPECT_EQ(argv_of(spec).size(), 4U);
}

// C197
TEST(WorkerSettings, ArgvHasTheSetOfTheV1EngineWhenTheJobAsksForIt) {
  JobSpec spec = small_job();
  spec.v1_argv = true;
  spec.limits.mini_batch_error_threshold = 5;
  EXPECT_EQ(argv_of(spec),
            (Arguments{"/code/score.py",
                       "--client_sdk_version",
                       "1",
                       "--scoring_module_name",
                       "score.py",
                       "--mini_batch_size",
                       "10",
                       "--error_threshold",
                       "-1",
                       "--output_action",
                       "append_row",
                       "--run_invocation_timeout",
                       "60",
                       "--run_max_try",
                       "3",
                       "--allowed_failed_count",
                       "5",
                       "--allowed_failed_percent",
                       "100",
                       "--append_row_file_name",
                       "parallel_run_step.txt",
                       "--output",
                       "/out",
                       "--process_count_per_node",
                       "4",
                       "--model",
                       "a b",
                       "--input_fds_0",
                       "/in",
                       "--logging_level",
                       "INFO"}));
}

// C194
TEST(WorkerSettings, NameTheModuleOnlyWhenTheScriptWasGivenByOne) {
  JobSpec spec = small_job();
  EXPECT_EQ(worker_settings(spec, resolve_job_paths(spec, "/job"), 1).module, "");
  spec.entry_script = "pkg.score";
  const WorkerSettings settings = worker_settings(spec, resolve_job_paths(spec, "/job"), 1);
  EXPECT_EQ(settings.module, "pkg.score");
  EXPECT_EQ(settings.script, "/code/pkg/score.py");
}

}  // namespace
}  // namespace windrow
