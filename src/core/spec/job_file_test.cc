// SPDX-License-Identifier: Apache-2.0
#include "core/spec/job_file_test.h"

#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "core/spec/job_paths.h"

namespace windrow {
namespace {

class JobFileTest : public ::testing::Test, protected JobFileWords {};

TEST_F(JobFileTest, ASmallFileGetsEveryDefault) {
  const JobSpec spec = spec_of(kSmall);
  EXPECT_EQ(spec.name, "");
  EXPECT_EQ(spec.inputs, (std::vector<InputSpec>{{.name = "data", .paths = {"/jobs/in"}}}));
  EXPECT_EQ(spec.input_data, std::vector<std::string>{"data"});
  EXPECT_EQ(spec.code, "/jobs");
  EXPECT_EQ(spec.entry_script, "score.py");
  EXPECT_EQ(spec.mini_batch_size.files, 10U);
  EXPECT_EQ(spec.limits.run_timeout, std::chrono::seconds(60));
  EXPECT_EQ(spec.limits.tries_max, 3U);
  EXPECT_EQ(spec.limits.error_threshold, -1);
  EXPECT_EQ(spec.limits.mini_batch_error_threshold, -1);
  EXPECT_EQ(spec.record.logging_level, LoggingLevel::kInfo);
  EXPECT_EQ(spec.worker.count, std::nullopt);
  EXPECT_TRUE(spec.append_row_to.empty());
  EXPECT_TRUE(spec.outputs.empty());
  EXPECT_EQ(notices(kSmall), "");
}

TEST_F(JobFileTest, EveryKeyIsUnderstood) {
  const char* text = R"($schema: https://example.org/parallelJob.schema.json
type: parallel
name: digits-1
display_name: Digits
description: "Which digit is it?"
experiment_name: digits
tags: {owner: me, version: 1}
inputs:
  images: {type: uri_folder, path: /data/images, mode: ro_mount}
  labels: {path: ./labels}
outputs:
  rows: {type: uri_file, path: out/p.txt, mode: rw_mount}
  extra:
input_data: ${{ inputs.images }}
mini_batch_size: "5"
mini_batch_error_threshold: 4
error_threshold: 10
logging_level: debug
max_concurrency_per_instance: 8
retry_settings: {max_retries: 0, timeout: 0.5}
resources: {instance_count: 1}
environment_variables: {A: b, N: 1, EMPTY: ""}
compute: local
task:
  type: function
  code: src
  entry_script: pkg/score.py
  program_arguments: --labels ${{inputs.labels}} --out ${{outputs.rows}} 'a b'
  append_row_to: ${{outputs.rows}}
python: ./venv/bin/python
job_dir: folder
retry_of: digits-0
)";
  const JobSpec spec = spec_of(text);
  EXPECT_EQ(spec.name, "digits-1");
  EXPECT_EQ(spec.labels.description, "Which digit is it?");
  EXPECT_EQ(spec.labels.tags.at("version"), "1");
  EXPECT_EQ(spec.inputs[1].paths[0], "/jobs/labels");
  EXPECT_EQ(spec.outputs[0], (OutputSpec{"rows", OutputType::kFile, "/jobs/out/p.txt"}));
  EXPECT_EQ(spec.outputs[1], (OutputSpec{"extra", OutputType::kFolder, std::nullopt}));
  EXPECT_EQ(spec.mini_batch_size.files, 5U);
  EXPECT_EQ(spec.limits.mini_batch_error_threshold, 4);
  EXPECT_EQ(spec.limits.error_threshold, 10);
  EXPECT_EQ(spec.record.logging_level, LoggingLevel::kDebug);
  EXPECT_EQ(spec.worker.count, 8U);
  EXPECT_EQ(spec.limits.tries_max, 1U);
  EXPECT_EQ(spec.limits.run_timeout, std::chrono::milliseconds(500));
  EXPECT_EQ(spec.environment_variables,
            (std::map<std::string, std::string>{{"A", "b"}, {"N", "1"}, {"EMPTY", ""}}));
  EXPECT_EQ(spec.code, "/jobs/src");
  EXPECT_EQ(spec.entry_script, "pkg/score.py");
  EXPECT_EQ(spec.append_row_to, std::vector<std::string>{"rows"});
  EXPECT_EQ(spec.python, "/jobs/venv/bin/python");
  EXPECT_EQ(spec.job_folder, "/jobs/folder");
  EXPECT_EQ(spec.retry_of, "digits-0");
  EXPECT_EQ(
      resolve_job_paths(spec, "/job").arguments,
      (std::vector<std::string>{"--labels", "/jobs/labels", "--out", "/jobs/out/p.txt", "a b"}));
  EXPECT_EQ(notices(text), "");
}

TEST_F(JobFileTest, TenMistakesAreTenProblemsInTheOrderOfTheFile) {
  EXPECT_EQ(
      problems(R"(type: parallel
mini_batch_sise: 10
inputs:
  data: {type: uri_folder, path: in}
input_data: ${{inputs.dta}}
error_threshold: -2
retry_settings:
  max_retries: many
  timeout: 0
logging_level: loud
partition_keys: [a, a]
max_concurrency_per_instance:
outputs:
  rows: {type: uri_file, mode: elsewhere}
task:
  entry_script: score.py
  append_row_to: rows
)"),
      "job.yml:2:1: unknown key 'mini_batch_sise'; did you mean 'mini_batch_size'?\n"
      "job.yml:5:13: input_data: no input 'dta' is declared; did you mean 'data'?\n"
      "job.yml:6:18: error_threshold: -2 is out of range; allowed is -1 to 2147483647\n"
      "job.yml:8:16: retry_settings.max_retries: 'many' is not a whole number; allowed is 0 to "
      "2147483647\n"
      "job.yml:9:12: retry_settings.timeout: 0 is out of range; allowed is more than 0 up to "
      "259200 seconds\n"
      "job.yml:10:16: logging_level: 'loud' is not a level; allowed is WARNING, INFO or DEBUG\n"
      "job.yml:11:17: partition_keys: 'a,a' has 'a' twice; allowed is a list of names, or its JSON "
      "text\n"
      "job.yml:12:1: max_concurrency_per_instance: is empty; leave it out or give it a value\n"
      "job.yml:14:32: outputs.rows.mode: 'elsewhere' is not known; allowed is rw_mount or "
      "upload\n"
      "job.yml:17:18: task.append_row_to: 'rows' is not understood; allowed is "
      "${{outputs.NAME}}\n");
}

TEST_F(JobFileTest, WhatIsMissingIsSaid) {
  EXPECT_EQ(problems("name: x\n"),
            "job.yml:1:1: type is missing\n"
            "job.yml:1:1: task is missing\n"
            "job.yml:1:1: inputs is missing\n"
            "job.yml:1:1: input_data is missing\n");
  EXPECT_EQ(
      problems("type: parallel\ninputs: {a: {}}\ninput_data: ${{inputs.a}}\ntask: {code: .}\n"),
      "job.yml:2:13: inputs.a.path is missing\n"
      "job.yml:4:7: task.entry_script is missing\n");
  EXPECT_EQ(problems("[1]"), "job.yml:1:1: keys are expected below it\n");
  EXPECT_EQ(problems(""), "job.yml: the file is empty\n");
}

TEST_F(JobFileTest, KeysInTheWrongPlaceAreSentToTheRightOne) {
  const auto hint = [this](const std::string& line) { return problems(kSmall + line); };
  EXPECT_EQ(hint("timeout: 5\n"),
            "job.yml:7:1: unknown key 'timeout'; did you mean 'retry_settings.timeout'?\n");
  EXPECT_EQ(hint("process_count_per_node: 5\n"),
            "job.yml:7:1: unknown key 'process_count_per_node'; did you mean "
            "'max_concurrency_per_instance'?\n");
  EXPECT_EQ(hint("colour: red\n"),
            "job.yml:7:1: unknown key 'colour'; `windrow help settings` lists those there are\n");
  EXPECT_EQ(hint("  arg: x\n"), "job.yml:7:3: task: unknown key 'arg'; did you mean 'args'?\n");
  EXPECT_EQ(hint("streaming_window: 5\n"),
            "job.yml:7:1: key 'streaming_window' is not supported yet\n");
}

TEST_F(JobFileTest, WhatIsNotBuiltYetIsRefusedByName) {
  EXPECT_EQ(
      problems("type: pipeline\njobs: {}\n"),
      "job.yml:1:7: type: 'pipeline' is not supported yet; put its parallel step into a file of "
      "its own, with paths in place of ${{parent...}}, and run that\n");
  EXPECT_EQ(problems("type: paralel\ninputs: {a: {}}\ninput_data: ${{inputs.a}}\n"),
            "job.yml:1:1: task is missing\n"
            "job.yml:1:7: type: 'paralel' is not known; allowed is parallel\n"
            "job.yml:2:13: inputs.a.path is missing\n");
  const std::string head =
      "type: parallel\ninput_data: ${{inputs.a}}\ntask: {entry_script: a.py}\n";
  EXPECT_EQ(problems(head + "inputs: {a: {path: 'azureml://datastores/x'}}\n"),
            "job.yml:4:20: inputs.a.path: 'azureml://datastores/x' is not a path of this machine; "
            "copy what is there to this machine, and give that path here (with type uri_folder or "
            "uri_file) or by --input\n");
  EXPECT_EQ(problems(head + "inputs: {a: {type: mlflow_model, path: 'azureml:m:1'}}\n"),
            "job.yml:4:20: inputs.a.type: 'mlflow_model' is not supported yet; use uri_folder, or "
            "uri_file for a model in one file, with its path on this machine\n");
  EXPECT_EQ(problems(kSmall + std::string("mini_batch_size: 5 rows\n")),
            "job.yml:7:18: mini_batch_size: counts rows, and the items are files; input_as: table "
            "(--as table) makes rows of tables the items, jsonl those of JSON lines\n");
  EXPECT_EQ(problems(kSmall + std::string("  type: model\n")),
            "job.yml:7:9: task.type: 'model' is not a task of a job; models are run by batch "
            "deployments\n");
}

TEST_F(JobFileTest, WhatHasNoEffectHereIsNoticed) {
  EXPECT_EQ(
      notices(R"(type: parallel
inputs: {a: {path: x, mode: download}}
input_data: ${{inputs.a}}
outputs: {o: {mode: upload}}
compute: azureml:big
resources: {instance_count: 4}
task: {entry_script: a.py, environment: azureml:env:1}
)"),
      "job.yml:2:29: inputs.a.mode: has no effect: the data are read where they are\n"
      "job.yml:4:21: outputs.o.mode: has no effect: files are written where they stay\n"
      "job.yml:5:10: compute: 'azureml:big' is not known here; the job runs on this machine\n"
      "job.yml:6:29: resources.instance_count: 4 nodes are asked for; this machine is the only "
      "one\n"
      "job.yml:7:41: task.environment: is not used: the script runs with the interpreter that "
      "is printed at start\n");
}

// C552
TEST_F(JobFileTest, KeysOfComponentsAreNoticed) {
  EXPECT_EQ(notices(R"(type: parallel
version: 3
properties: {a: b}
services: {s: {type: ssh}}
inputs: {a: {path: x}, n: {type: integer, default: 3, min: 1, max: 9}}
input_data: ${{inputs.a}}
outputs: {o: {description: all of them, name: rows, version: 1}}
task: {entry_script: a.py}
)"),
            "job.yml:2:10: version: has no effect here\n"
            "job.yml:3:13: properties: has no effect here\n"
            "job.yml:4:11: services: has no effect here\n"
            "job.yml:5:60: inputs.n.min: has no effect here\n"
            "job.yml:5:68: inputs.n.max: has no effect here\n"
            "job.yml:7:28: outputs.o.description: has no effect here\n"
            "job.yml:7:47: outputs.o.name: has no effect here\n"
            "job.yml:7:62: outputs.o.version: has no effect here\n");
}

// C551
TEST_F(JobFileTest, APipelineIsToldHowToBecomeAJob) {
  EXPECT_EQ(problems("type: pipeline\njobs: {}\n"),
            "job.yml:1:7: type: 'pipeline' is not supported yet; put its parallel step into a file "
            "of its own, with paths in place of ${{parent...}}, and run that\n");
}

// C551
TEST_F(JobFileTest, BindingsToAPipelineAreToldWhatToBecome) {
  const std::string said = problems(R"(type: parallel
inputs:
  a: ${{parent.inputs.photos}}
  b: {path: "${{ parent.inputs.photos }}"}
input_data: ${{inputs.a}}
outputs:
  o: ${{parent.outputs.rows}}
mini_batch_size: ${{parent.inputs.size}}
task:
  entry_script: a.py
  program_arguments: --model ${{parent.inputs.model}}
)");
  const std::string advice =
      " belongs to the pipeline that this step was part of; write {path: ...} for a folder or "
      "file, "
      "or the value itself\n";
  EXPECT_EQ(said,
            "job.yml:3:6: inputs.a: '${{parent.inputs.photos}}'" + advice +
                "job.yml:4:13: inputs.b.path: '${{ parent.inputs.photos }}'" + advice +
                "job.yml:7:6: outputs.o: '${{parent.outputs.rows}}'" + advice +
                "job.yml:8:18: mini_batch_size: '${{parent.inputs.size}}'" + advice +
                "job.yml:11:22: task.program_arguments: '${{parent.inputs.model}}'" + advice);
}

// C551
TEST_F(JobFileTest, FlagsTakeThePlaceOfBindingsToAPipeline) {
  input_.flags.input = {"photos"};
  input_.flags.output = "out";
  const JobSpec spec = spec_of(R"(type: parallel
inputs: {a: "${{parent.inputs.photos}}"}
input_data: ${{inputs.a}}
outputs: {o: "${{parent.outputs.rows}}"}
task: {entry_script: a.py, append_row_to: "${{outputs.o}}"}
)");
  EXPECT_EQ(spec.inputs.at(0).paths.at(0), "/here/photos");
  EXPECT_EQ(spec.outputs.at(0).path, "/here/out");
}

// C73
TEST_F(JobFileTest, AKeyLikeNoOtherIsToldWhereAllAreListed) {
  EXPECT_EQ(problems(kSmall + std::string("wheelbarrow: 1\n")),
            "job.yml:7:1: unknown key 'wheelbarrow'; `windrow help settings` lists those there "
            "are\n");
}

}  // namespace
}  // namespace windrow
