// SPDX-License-Identifier: Apache-2.0
//
// A drawn parallel_run_config of the v1 SDK, with the job that it means.
#include <fmt/format.h>

#include "drawn_job.h"

namespace windrow::sim {
namespace {

struct Parameter {
  const char* name;
  const char* key;  // of the same setting in a v2 file
  bool required = false;
};

constexpr Parameter kParameters[] = {
    {"error_threshold", "error_threshold", true},
    {"process_count_per_node", "max_concurrency_per_instance"},
    {"mini_batch_size", "mini_batch_size"},
    {"logging_level", "logging_level"},
    {"run_invocation_timeout", "retry_settings.timeout"},
    {"allowed_failed_count", "mini_batch_error_threshold"},
    {"allowed_failed_percent", "allowed_failed_percent"},
    {"partition_keys", "partition_keys"},
};

const std::string kConfig = "parallel_run_config";

}  // namespace

void JobDraft::draw_v1_settings() {
  for (const Parameter& parameter : kParameters) {
    const std::string path = kConfig + "." + parameter.name;
    if (parameter.required && wrong()) {
      blame(kConfig);
      continue;
    }
    if (!parameter.required && !maybe(200)) continue;
    DrawnValue value = draw_value(random_, parameter.key, !wrong());
    page_.put_text(path, value.said);
    said_[parameter.key] = "";
    places_[parameter.key] = path;
    if (value.right) {
      if (parameter.name == std::string_view("allowed_failed_count")) {
        out_.settings["compat.allowed_failed_count"] = {.said = "", .means = "true"};
      }
      out_.settings[parameter.key] = std::move(value);
    } else {
      blame(path);
    }
  }
  judge_rows();
  if (maybe(200)) {
    if (wrong()) return put_wrong(kConfig + ".run_max_try", {"0", "x", "", "2147483648"});
    const std::uint32_t tries = random_.between(1, 9);
    page_.put_text(kConfig + ".run_max_try", std::to_string(tries));
    out_.settings["retry_settings.max_retries"] = {.said = "", .means = std::to_string(tries - 1)};
  }
}

void JobDraft::draw_v1_machine() {
  const std::string nodes = kConfig + ".node_count";
  if (wrong()) {
    maybe(300) ? blame(kConfig) : put_wrong(nodes, {"0", "-1", "x"});
  } else {
    const std::string count = one_of({"1", "4"});
    page_.put_text(nodes, count);
    if (count != "1") note(nodes);
  }
  page_.put_text(kConfig + ".compute_target_name", "cluster");
  note(kConfig + ".compute_target_name");
  for (const char* key : {".environment_name", ".environment_dir_path", ".environment"}) {
    if (!maybe(150)) continue;
    page_.put_text(kConfig + key, "x");
    note(kConfig + key);
  }
  if (wrong()) put_wrong(kConfig + one_of({".partition_kees", ".nodecount", ".qqqqqqqqq"}), {"x"});
}

// Rows go to the output, whose place --output says; a file name of its own needs that.
void JobDraft::draw_v1_output() {
  const std::string action = kConfig + ".output_action";
  std::string file;
  if (maybe(400)) {
    file = one_of({"rows.csv", "parallel_run_step.txt"});
    if (wrong()) {
      put_wrong(kConfig + ".append_row_file_name", {"", "a/b", "..", ".", "a*b", "x:y"});
      file.clear();
    } else {
      page_.put_text(kConfig + ".append_row_file_name", file);
    }
  }
  if (maybe(500)) out_.input.flags.output = "out";
  const bool folder = out_.input.flags.output.has_value();
  if (wrong()) {
    return maybe(300) ? blame(kConfig) : put_wrong(action, {"append", "", "rows"});
  }
  if (maybe(300)) {
    page_.put_text(action, "Summary_Only");
    if (folder) out_.spec.outputs = {{"output", OutputType::kFolder, "/here/out"}};
    return;
  }
  page_.put_text(action, one_of({"append_row", "APPEND_ROW"}));
  out_.spec.append_row_to = {"output"};
  OutputSpec output{.name = "output", .type = OutputType::kFolder, .path = std::nullopt};
  if (folder) output.path = "/here/out";
  if (file == "rows.csv" && !folder) blame(kConfig + ".append_row_file_name");
  if (file == "rows.csv" && folder) note(action);
  if (file == "rows.csv") {
    output.type = OutputType::kFile;
    output.path = "/here/out/rows.csv";
  }
  out_.spec.outputs = {output};
}

DrawnJob JobDraft::draw_v1() {
  if (wrong() && maybe(200)) {
    page_.put(kConfig, one_of({"", "x"}));
    out_.input.flags.input = {"in"};
    blame(kConfig);
    blame(kConfig);  // and a script is missing in it
    return finish();
  }
  page_.put_text(kConfig + ".description", "d");
  out_.spec.labels.description = "d";
  if (wrong()) {
    blame(kConfig);
  } else {
    page_.put_text(kConfig + ".entry_script", "score.py");
    out_.spec.entry_script = "score.py";
    out_.spec.code = kFileFolder;
    if (maybe(300)) {
      page_.put_text(kConfig + ".source_directory", "src");
      out_.spec.code = std::string(kFileFolder) + "/src";
    }
  }
  draw_v1_settings();
  draw_v1_machine();
  draw_v1_output();
  if (maybe(100)) {  // mini-batches without items need no input
    out_.spec.arguments = {"--rank_mini_batch_count", "3"};
    out_.input.flags.arguments = out_.spec.arguments;
    out_.settings["rank_mini_batch_count"] = {.said = "3", .means = "3"};
    return finish();
  }
  if (wrong()) {
    out_.problems.emplace_back("--input");
  } else {
    out_.input.flags.input = {"in"};
  }
  out_.spec.inputs = {{.name = "data", .paths = {"/here/in"}}};
  out_.spec.input_data = {"data"};
  if (maybe(300)) {
    const bool right = !wrong();
    out_.input.flags.arguments =
        right ? std::vector<std::string>{"--x", "a b"} : std::vector<std::string>{"x", "--y"};
    if (!right && maybe(500)) out_.input.flags.arguments = {"--y", "--output_action=x"};
    if (right) out_.spec.arguments = {"--x", "a b"};
    if (!right) out_.problems.emplace_back("arguments after --");
  }
  if (wrong()) {
    page_.put("stranger", "x");
    blame("stranger");
  }
  return finish();
}

}  // namespace windrow::sim
