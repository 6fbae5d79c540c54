// SPDX-License-Identifier: Apache-2.0
//
// windrow plan SCRIPT --input FOLDER | windrow plan JOB.yml
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/counted.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/job_options.h"
#include "cli/voice.h"
#include "core/spec/effective.h"
#include "core/spec/job_file.h"
#include "core/spec/job_paths.h"
#include "os/machine.h"
#include "workspace/trial/preview.h"

namespace windrow {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  windrow plan score.py --input images\n"
    "  windrow plan score.py --input images -v\n"
    "  windrow plan job.yml --set mini_batch_size=100 -o json\n\n"
    "Takes what `windrow run` takes; lists the input, runs and writes nothing. Of the\n"
    "settings it shows the main ones and those that you set, with -v all.\n";

std::string_view item_word(const JobPreview& preview) {
  return preview.items == InputAs::kFiles ? "file" : "row";
}

std::string files_text(const JobPreview& preview, const InputPreview& input) {
  if (!input.files) return input.unread;
  if (!preview.counted) return "rows are counted when they are read";
  return counted(*input.files, item_word(preview));
}

// "5: 4 with 5 files, 1 with 3 files"
std::string batches_text(const JobPreview& preview) {
  const std::string_view item = item_word(preview);
  std::vector<std::string> parts;
  if (!preview.planned) return "known when the job has made its table";
  if (!preview.counted) return human_count(preview.batches);
  for (auto size = preview.sizes.rbegin(); size != preview.sizes.rend(); ++size) {
    if (parts.size() == 5) {
      parts.emplace_back("...");
      break;
    }
    const std::string files = size->first == 0 ? "out files" : " " + counted(size->first, item);
    parts.push_back(fmt::format("{} with{}", human_count(size->second), files));
  }
  std::string text = human_count(preview.batches);
  if (!parts.empty()) text += fmt::format(": {}", fmt::join(parts, ", "));
  return text;
}

std::string gpus_text(const GpuSet& gpus) {
  if (gpus.names.empty()) return "none";
  return fmt::format("{} ({})", fmt::join(gpus.names, ", "), gpus.source);
}

std::string settings_part(const JobReading& reading, bool all) {
  if (all) return effective_job_file(reading.spec, reading.origins);
  return "# The main settings, and those that you set; -v shows all.\n" +
         main_settings(reading.spec, reading.origins);
}

std::string plan_text(const JobReading& reading, const JobPreview& preview, bool all_settings) {
  std::string out;
  const auto line = [&out](std::string_view what, std::string_view text) {
    fmt::format_to(std::back_inserter(out), "{:<14}{}\n", what, escape_bytes(text));
  };
  line("job", preview.new_name ? "a new one, with a generated name" : preview.name);
  if (!preview.notice.empty()) line("", preview.notice);
  line(preview.python ? "script" : "command", script_path(reading.spec));
  if (preview.python) {
    line("python", fmt::format("{} (from {})", preview.python->path, preview.python->origin));
  }
  for (const InputPreview& input : preview.inputs) {
    line("input",
         fmt::format(
             "{}: {}: {}", input.name, fmt::join(input.paths, ", "), files_text(preview, input)));
  }
  for (const std::string& remark : preview.remarks) line("", remark);
  line("mini-batches", batches_text(preview));
  line("workers", preview.share.workers.reason);
  line("gpus", gpus_text(preview.share.gpus));
  for (const auto& [name, path] : preview.paths.outputs) {
    line("output", fmt::format("{}: {}", name, path));
  }
  for (const std::string& target : preview.paths.targets) line("rows", target);
  if (preview.paths.targets.empty()) line("rows", "counted, not kept");
  out += "\n" + settings_part(reading, all_settings);
  return out + "\nNothing was run, nothing was written.\n";
}

void add_inputs(JsonWriter& json, const JobPreview& preview) {
  json.key("inputs").begin_array();
  for (const InputPreview& input : preview.inputs) {
    json.begin_object().field("name", input.name).key("paths").begin_array();
    for (const std::string& path : input.paths) json.value(path);
    json.end_array().key("files");
    if (input.files && preview.counted) {
      json.value(*input.files);
    } else {
      json.null();
    }
    json.end_object();
  }
  json.end_array();
}

std::string plan_json(const JobReading& reading, const JobPreview& preview) {
  JsonWriter json;
  json.begin_object().key("job");
  if (preview.new_name) {
    json.null();
  } else {
    json.value(preview.name);
  }
  json.field("notice", preview.notice);
  json.field(preview.python ? "script" : "command", script_path(reading.spec));
  if (preview.python) {
    json.key("python").begin_object().field("path", preview.python->path);
    json.field("origin", preview.python->origin).end_object();
  }
  add_inputs(json, preview);
  json.key("files");
  if (preview.counted) {
    json.value(preview.files);
  } else {
    json.null();
  }
  json.key("mini_batches");
  if (preview.planned) {
    json.value(preview.batches);
  } else {
    json.null();
  }
  json.key("mini_batch_sizes").begin_array();
  for (const auto& [items, count] : preview.sizes) {
    if (!preview.counted) break;
    json.begin_object().field("files", items).field("mini_batches", count).end_object();
  }
  json.end_array().key("workers").begin_object();
  json.field("count", preview.share.workers.count).field("reason", preview.share.workers.reason);
  json.end_object().key("gpus").begin_array();
  for (const std::string& name : preview.share.gpus.names) json.value(name);
  json.end_array().key("outputs").begin_object();
  for (const auto& [name, path] : preview.paths.outputs) json.field(name, path);
  json.end_object().key("targets").begin_array();
  for (const std::string& target : preview.paths.targets) json.value(target);
  json.end_array().key("notices").begin_array();
  for (const Problem& notice : reading.notices) json.value(notice.where + ": " + notice.message);
  for (const std::string& remark : preview.remarks) json.value(remark);
  json.end_array();
  std::string settings = effective_config_json(reading.spec, reading.origins);
  settings.pop_back();  // its line feed
  return fmt::format("{},\"settings\":{}}}\n", json.text(), settings);
}

class Plan final : public Command {
 public:
  Plan(std::vector<std::string> arguments, bool has_arguments)
      : options_(std::move(arguments), has_arguments) {}

  void declare(CLI::App& app) override {
    app.description("Show what `run` would do: settings, files, mini-batches, workers");
    app.footer(kFooter);
    options_.declare(app);
    app.add_flag("--new", afresh_, "As `run` does: start over even if a job could resume");
    app.add_flag("-v,--verbose", all_settings_, "Show every setting, defaults too");
    voice_.declare(app, Voice::For::kAnswer);
  }

  int run(const Caller& caller) override {
    const auto reading = options_.read();
    if (!reading) return voice_.refuse(reading.error());
    const Result<JobPreview> preview = preview_job(caller, reading->spec, afresh_);
    if (!preview) {
      // A file or folder that is missing here is not a missing job.
      const bool missing = preview.error().code == ErrorCode::kNotFound;
      return voice_.report(
          {missing ? ErrorCode::kInvalid : preview.error().code, preview.error().message});
    }
    if (!voice_.json()) voice_.say(problems_text(reading->notices));
    write_out(1,
              voice_.json() ? plan_json(*reading, *preview)
                            : plan_text(*reading, *preview, all_settings_));
    return kExitCompleted;
  }

 private:
  JobOptions options_;
  bool afresh_ = false;
  bool all_settings_ = false;
  Voice voice_;
};

}  // namespace

std::unique_ptr<Command> make_plan_command(std::vector<std::string> script_arguments,
                                           bool has_script_arguments) {
  return std::make_unique<Plan>(std::move(script_arguments), has_script_arguments);
}

}  // namespace windrow
