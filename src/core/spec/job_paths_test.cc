// SPDX-License-Identifier: Apache-2.0
#include "core/spec/job_paths.h"

#include <string>

#include <gtest/gtest.h>

namespace windrow {
namespace {

TEST(JoinPath, CleansWithoutTouchingParents) {
  EXPECT_EQ(join_path("/a", "b"), "/a/b");
  EXPECT_EQ(join_path("/a/", "./b//c/"), "/a/b/c");
  EXPECT_EQ(join_path("/a", "/b"), "/b");
  EXPECT_EQ(join_path("/a", "."), "/a");
  EXPECT_EQ(join_path("/a", ""), "/a");
  EXPECT_EQ(join_path("/a", "../b"), "/a/../b");
  EXPECT_EQ(join_path("/", "b"), "/b");
  EXPECT_EQ(join_path("/", "/"), "/");
  EXPECT_EQ(join_path("", "b"), "b");
  EXPECT_EQ(join_path("", "."), ".");
  EXPECT_EQ(join_path("/a", ".b"), "/a/.b");
}

TEST(JoinPath, PartsArePutTogetherAgain) {
  EXPECT_EQ(parent_folder("/a/b"), "/a");
  EXPECT_EQ(parent_folder("/a"), "/");
  EXPECT_EQ(parent_folder("a"), ".");
  EXPECT_EQ(base_name("/a/b"), "b");
  EXPECT_EQ(base_name("b"), "b");
}

TEST(RemotePath, IsAnythingWithAScheme) {
  for (const char* remote : {"azureml://datastores/a/paths/b",
                             "azureml:data:1",
                             "https://x/y",
                             "wasbs://a@b/c",
                             "file:///a"}) {
    EXPECT_TRUE(is_remote_path(remote)) << remote;
  }
  for (const char* local : {"a", "/a://b", "./a://b", "a:b", "://"}) {
    EXPECT_FALSE(is_remote_path(local)) << local;
  }
}

TEST(ScriptPath, KnowsFilesAndModules) {
  JobSpec spec;
  spec.code = "/code";
  spec.entry_script = "sub/score.py";
  EXPECT_EQ(script_path(spec), "/code/sub/score.py");
  spec.entry_script = "pkg.main";
  EXPECT_EQ(script_path(spec), "/code/pkg/main.py");
  spec.entry_script = "/other/score.py";
  EXPECT_EQ(script_path(spec), "/other/score.py");
}

class JobPathsTest : public ::testing::Test {
 protected:
  JobPathsTest() {
    spec_.inputs = {{.name = "data", .paths = {"/in"}},
                    {.name = "labels", .paths = {"/labels dir"}}};
    spec_.input_data = {"data"};
  }

  JobPaths resolve() { return resolve_job_paths(spec_, "/job"); }

  JobSpec spec_;
};

TEST_F(JobPathsTest, RowsOfAFolderOutputGoToTheDefaultFileInIt) {
  spec_.outputs = {{"other", OutputType::kFolder, "/o"}, {"out", OutputType::kFolder, "/rows"}};
  spec_.append_row_to = {"out"};
  EXPECT_EQ(resolve().targets.at(0), "/rows/parallel_run_step.txt");
  EXPECT_EQ(resolve().output_folder, "/rows");
}

TEST_F(JobPathsTest, RowsOfAFileOutputGoToExactlyThatFile) {
  spec_.outputs = {{"out", OutputType::kFile, "/rows/p.csv"}};
  spec_.append_row_to = {"out"};
  EXPECT_EQ(resolve().targets.at(0), "/rows/p.csv");
  EXPECT_EQ(resolve().output_folder, "/rows");
}

TEST_F(JobPathsTest, OutputsWithoutAPathLieInTheJobFolder) {
  spec_.outputs = {{"a", OutputType::kFolder, {}}, {"b", OutputType::kFile, {}}};
  spec_.append_row_to = {"b"};
  EXPECT_EQ(resolve().outputs.at("a"), "/job/outputs/a");
  EXPECT_EQ(resolve().targets.at(0), "/job/outputs/b/parallel_run_step.txt");
}

// C521
TEST_F(JobPathsTest, EveryOutputHasAFolderThatIsMadeBeforeTheScriptStarts) {
  spec_.outputs = {{"a", OutputType::kFolder, "/a"}, {"b", OutputType::kFile, "/b/rows.txt"}};
  EXPECT_EQ(resolve().folders, (std::vector<std::string>{"/a", "/b"}));
  spec_.outputs.clear();
  EXPECT_EQ(resolve().folders, std::vector<std::string>{"/job/outputs"});
}

TEST_F(JobPathsTest, SummaryOnlyHasNoTargetAndTheFirstOutputAsItsFolder) {
  EXPECT_TRUE(resolve().targets.empty());
  EXPECT_EQ(resolve().output_folder, "/job/outputs");
  spec_.outputs = {{"a", OutputType::kFolder, "/a"}, {"b", OutputType::kFolder, "/b"}};
  EXPECT_TRUE(resolve().targets.empty());
  EXPECT_EQ(resolve().output_folder, "/a");
}

TEST_F(JobPathsTest, ArgumentsGetPathsAndStayOneWordEach) {
  spec_.outputs = {{"out", OutputType::kFolder, {}}};
  spec_.arguments = {"--labels", "${{inputs.labels}}/a.txt", "${{ outputs.out }}", "plain"};
  EXPECT_EQ(
      resolve().arguments,
      (std::vector<std::string>{"--labels", "/labels dir/a.txt", "/job/outputs/out", "plain"}));
  EXPECT_EQ(resolve().inputs["data"], "/in");
  spec_.inputs[0].paths = {"@/lists/today"};
  EXPECT_EQ(resolve().inputs["data"], "/lists/today");
}

// C440
TEST_F(JobPathsTest, StagedOutputsLieInFoldersOfTheWorkersOwn) {
  spec_.outputs = {{"a", OutputType::kFolder, "/a"}, {"b", OutputType::kFile, "/b/rows.csv"}};
  spec_.arguments = {"--to=${{outputs.a}}", "${{outputs.b}}", "${{inputs.data}}"};
  EXPECT_TRUE(staged_outputs(spec_, resolve()).empty());
  spec_.staged_outputs = true;
  EXPECT_EQ(staged_outputs(spec_, resolve()),
            (std::vector<StagedOutput>{{"a", "/a"}, {"b", "/b"}}));
  const JobPaths given = staged_paths(spec_, resolve(), "/job/own");
  EXPECT_EQ(given.arguments,
            (std::vector<std::string>{"--to=/job/own/a", "/job/own/b/rows.csv", "/in"}));
  EXPECT_EQ(given.output_folder, "/job/own/a");
}

// C440
TEST_F(JobPathsTest, AJobWithoutOutputsHasItsOutputFolderStaged) {
  spec_.staged_outputs = true;
  EXPECT_EQ(staged_outputs(spec_, resolve()),
            (std::vector<StagedOutput>{{"outputs", "/job/outputs"}}));
  EXPECT_EQ(staged_paths(spec_, resolve(), "/own").output_folder, "/own/outputs");
}

}  // namespace
}  // namespace windrow
