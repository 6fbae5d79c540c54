// SPDX-License-Identifier: Apache-2.0
//
// The settings of a drawn job, what it says of machine and people, keys that have no business
// there, and the whole in both forms.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "core/spec/settings.h"
#include "drawn_job.h"

namespace windrow::sim {
namespace {

struct Flag {
  std::string_view key;
  std::string_view flag;
  std::optional<std::string> JobFlags::* said;
};

constexpr std::array<Flag, 10> kFlags = {{
    {"mini_batch_size", "--mini-batch-size", &JobFlags::mini_batch_size},
    {"max_concurrency_per_instance", "--workers", &JobFlags::workers},
    {"retry_settings.timeout", "--timeout", &JobFlags::timeout},
    {"retry_settings.max_retries", "--max-retries", &JobFlags::max_retries},
    {"error_threshold", "--error-threshold", &JobFlags::error_threshold},
    {"mini_batch_error_threshold",
     "--mini-batch-error-threshold",
     &JobFlags::mini_batch_error_threshold},
    {"logging_level", "--logging-level", &JobFlags::logging_level},
    {"gpus", "--gpus", &JobFlags::gpus},
    {"nice", "--nice", &JobFlags::nice},
    {"input_as", "--as", &JobFlags::input_as},
}};

constexpr std::array<std::string_view, 5> kOfItems = {
    "input_as", "partition_keys", "partition_by", "mini_batch_size", "bisect_failed"};

}  // namespace

void JobDraft::draw_settings() {
  if (wrong() && maybe(200)) {
    broken_group_ = one_of({"retry_settings", "append_row", "compat", "table"});
    page_.put(broken_group_, one_of({"", "x", "[a]"}));
    blame(broken_group_);
  }
  for (const Setting& setting : settings()) {
    // Those that decide what an item is, and with them what others mean, more often.
    const bool items = std::ranges::find(kOfItems, setting.key) != kOfItems.end();
    if (setting.read == nullptr || !maybe(items ? 250 : 80)) continue;
    if (!knows_setting(setting.key)) continue;  // it is drawn by itself
    if (!broken_group_.empty() && setting.key.starts_with(broken_group_ + ".")) continue;
    draw_setting(setting.key);
  }
  if (broken_group_ != "compat" && maybe(60)) {
    if (wrong()) {
      put_wrong("compat.v2_mini_batch_size_1", {"maybe", ""});
    } else {
      page_.put_text("compat.v2_mini_batch_size_1", "true");
      if (!said_.contains("mini_batch_size")) {
        out_.settings["mini_batch_size"] = {.said = "", .means = "1", .size = {.files = 1}};
      }
    }
  }
}

void JobDraft::draw_setting(std::string_view key) {
  DrawnValue value = draw_value(random_, key, !wrong());
  const auto* flag = std::ranges::find(kFlags, key, &Flag::key);
  const std::string path(key);
  if (flag != kFlags.end() && maybe(200)) {
    out_.input.flags.*(flag->said) = value.said;
    said_[path] = flag->flag;
  } else if (maybe(200)) {
    out_.input.set.emplace_back(path, value.said);
    said_[path] = fmt::format("--set {}={}", path, escape_bytes(value.said));
  } else {
    const bool bound = !value.list && maybe(100);
    if (!value.right && maybe(100)) {
      page_.put(path, one_of({"", "{a: b}"}));
    } else if (path.starts_with("partition_") && !value.right && maybe(500)) {
      page_.put(path, one_of({"[a, '']", "[[a]]", "[a, b, a]"}));
    } else if (value.list && !value.right && maybe(500)) {
      page_.put(path, one_of({"[OSError, '']", "[[a]]", "[1x]"}));
    } else if (value.list && value.right && maybe(600)) {
      page_.put(path, yaml_list(random_, value.items));
    } else if (bound) {
      const std::string name = fmt::format("said{}", out_.spec.inputs.size());
      page_.put_text("inputs." + name, value.said);
      out_.spec.inputs.push_back(
          {.name = name, .type = InputType::kLiteral, .paths = {value.said}});
      page_.put_text(path, "${{inputs." + name + "}}");
    } else {
      page_.put_text(path, value.said);
    }
    said_[path] = "";
  }
  if (value.right) {
    out_.settings[path] = std::move(value);
  } else {
    blame_said(path);
  }
}

void JobDraft::draw_labels() {
  JobLabels& labels = out_.spec.labels;
  const auto label = [this](const char* key, std::string& into) {
    if (!maybe(150)) return;
    if (wrong()) return put_shape(key);
    into = one_of({"a name",
                   "x: y",
                   "- z",
                   "\xc3\xa9t\xc3\xa9",
                   "# no comment",
                   "yes",
                   "1",
                   "del\x7f",
                   "bytes\xff",
                   "y",
                   ".5",
                   "-"});
    page_.put_text(key, into);
  };
  label("display_name", labels.display_name);
  label("description", labels.description);
  label("experiment_name", labels.experiment_name);
  if (maybe(100)) page_.put_text("$schema", "https://x/y.json");
  if (maybe(200)) {
    if (wrong()) {
      put_wrong("name", {"", ".x", "-x", "a b", "a/b", std::string(256, 'n')});
    } else {
      out_.spec.name = one_of({"job-1", "x", "A_b.c"});
      page_.put_text("name", out_.spec.name);
    }
  }
  if (maybe(150)) {
    page_.put_text("tags.owner", "me");
    labels.tags["owner"] = "me";
    if (wrong()) {
      page_.put("tags." + std::string(256, 'k'), "x");
      blame("tags");
    } else if (wrong()) {
      put_wrong(
          "tags.bound",
          {"${{outputs.rows}}",
           "${{inputs.nowhere}}",
           "${{x}}",
           !out_.spec.inputs.empty() && out_.spec.inputs[0].name == "data" ? "${{inputs.data}}"
                                                                           : "${{z}}",
           page_.has("inputs.gone") ? "${{inputs.gone}}" : "${{y"});
    } else if (page_.has("inputs.bound0")) {
      page_.put_text("tags.bound", "${{inputs.bound0}}");
      labels.tags["bound"] = "7";
    }
  }
}

void JobDraft::draw_machine() {
  if (maybe(200)) {
    const std::string compute = one_of({"local", "azureml:local", "cpu-cluster"});
    page_.put_text("compute", compute);
    if (compute == "cpu-cluster") note("compute");
  }
  if (maybe(100)) {
    if (wrong()) {
      if (maybe(400)) {
        page_.put_text("identity.client_id", "x");
        blame("identity");
      } else {
        put_wrong(one_of({"identity", "identity.type"}), {"root", ""});
      }
    } else {
      page_.put_text("identity.type", one_of({"managed", "user_identity", "aml_token"}));
      note("identity");
    }
  }
  if (maybe(100)) {
    if (wrong()) {
      put_wrong("is_deterministic", {"perhaps", ""});
    } else {
      page_.put_text("is_deterministic", "true");
    }
  }
  if (maybe(200)) {
    const std::string key = "resources.instance_count";
    if (wrong()) {
      put_wrong(key, {"0", "-2", "x", "", "2147483648"});
    } else {
      const std::string count = one_of({"1", "3", "-1"});
      page_.put_text(key, count);
      if (count != "1") note(key);
    }
    if (maybe(300)) {
      page_.put("resources.instance_type", one_of({"x", "[a]"}));
      note("resources.instance_type");
    }
  }
  if (maybe(150)) {
    page_.put_text("environment_variables.HOME", "/x");
    out_.spec.environment_variables["HOME"] = "/x";
    if (wrong()) {
      page_.put("environment_variables." + one_of({"A=B", "''"}), "x");
      blame("environment_variables");
    } else if (wrong()) {
      put_shape("environment_variables.B");
    }
  }
}

void JobDraft::draw_own_keys() {
  if (maybe(150)) {
    if (wrong()) {
      maybe(300) ? put_shape("python") : put_wrong("python", {""});
    } else if (maybe(500)) {
      page_.put_text("python", "bin/python3");
      out_.spec.python = std::string(kFileFolder) + "/bin/python3";
    } else {
      page_.put_text("python", "python3");
      out_.spec.python = "python3";
    }
  }
  if (maybe(100)) {
    const auto [text, whole] = draw_path(random_, kFileFolder);
    if (wrong()) {
      put_wrong("job_dir", {"", "s3://x"});
    } else {
      page_.put_text("job_dir", text);
      out_.spec.job_folder = whole;
    }
  }
  if (maybe(100)) {
    if (wrong()) {
      maybe(300) ? put_shape("retry_of") : put_wrong("retry_of", {""});
    } else {
      page_.put_text("retry_of", "old");
      out_.spec.retry_of = "old";
    }
  }
}

// Keys that nobody knows, that belong elsewhere, or that are not built yet.
void JobDraft::draw_strangers() {
  if (maybe(50)) {  // known elsewhere, without effect here
    const std::string key = one_of({"version", "inputs.data.enum"});
    page_.put_text(key, "3");
    note(key);
  }
  if (wrong())
    put_wrong(one_of({"nam", "timeout", "xyzzy_xyzzy", "streaming_window", "component"}), {"x"});
  if (wrong() && task_right_) put_wrong(one_of({"task.model", "task.cod", "task.timeout"}), {"x"});
  if (wrong()) put_wrong(one_of({"inputs.data.query", "inputs.data.pathe"}), {"x"});
  if (wrong() && broken_group_ != "compat") put_wrong("compat.v3", {"x"});
  if (wrong()) put_wrong("resources.cpus", {"x"});
  if (wrong()) {
    const bool script = page_.has("task.entry_script") && !out_.spec.entry_script.empty();
    const std::string deep = "a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a";
    const std::string path = script ? "task.entry_script.deep" : one_of({"a..b", deep});
    out_.input.set.emplace_back(path, "x");
    out_.problems.push_back("--set " + path + "=x");
  }
}

void JobDraft::blame_said(const std::string& key) {
  said_[key].empty() ? blame(place_of(key)) : out_.problems.push_back(said_[key]);
}

void JobDraft::note_said(const std::string& key) {
  said_[key].empty() ? note(place_of(key)) : out_.notices.push_back(said_[key]);
}

std::string JobDraft::means(const std::string& key) const {
  const auto found = out_.settings.find(key);
  return found == out_.settings.end() ? "" : found->second.means;
}

// What only shows when all is drawn.
void JobDraft::judge_together() {
  const std::string format = means("append_row.format");
  if (format == "jsonl" || format == "parquet" || format == "arrow") {
    if (!means("append_row.sep").empty()) blame_said("append_row.sep");
    if (means("append_row.header") == "true") note_said("append_row.header");
  }
  judge_columns();
  judge_rows();
  note_shared_folders();
  const std::string first = means("first_task_creation_timeout");
  if (!first.empty() && std::stod(first) > 259200) note_said("first_task_creation_timeout");
  for (const char* key : {"copy_logs_to_parent", "push_metrics_to_parent"}) {
    if (means(key) == "true") note_said(key);
  }
  const bool rank = !means("rank_mini_batch_count").empty();
  if (input_data_missing_ && !rank) blame("");
  if (rank && page_.has("input_data")) contradicted_.emplace_back("input_data");
  if (rank) out_.spec.input_data.clear();
  for (const std::string& path : contradicted_)
    means("strict") == "true" ? blame(path) : note(path);
  const bool counts_files = means("staged_outputs") == "true" || page_.has("task.append_row_to");
  if (means("speculate") == "true" && !counts_files) blame_said("speculate");
}

DrawnJob JobDraft::draw_v2() {
  const bool typed = !wrong() || maybe(500);
  if (!typed) {
    blame("");
  } else if (wrong() && maybe(200)) {
    page_.put_text("type", one_of({"command", "sweep"}));  // nothing more is read
    blame("type");
    return finish();
  } else if (wrong()) {
    put_wrong("type", {"paralel", ""});
  } else {
    page_.put_text("type", "parallel");
  }
  draw_inputs();
  draw_labels();
  draw_outputs();
  draw_settings();
  draw_task();
  draw_machine();
  draw_own_keys();
  draw_strangers();
  judge_together();
  return finish();
}

}  // namespace windrow::sim
