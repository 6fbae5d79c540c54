// SPDX-License-Identifier: Apache-2.0
//
// windrow job merge JOB
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/voice.h"
#include "os/machine.h"
#include "workspace/run/merge_job.h"

namespace windrow {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  windrow job merge score-2026-11-15-calm-heron\n"
    "  windrow job merge /data/jobs/nightly -o json\n\n"
    "The rows get the name that the result would have had; staged files go\n"
    "to their outputs.\n";

void add_list(JsonWriter& json, const char* key, const std::vector<std::string>& values) {
  json.key(key).begin_array();
  for (const std::string& value : values) json.value(value);
  json.end_array();
}

std::string merged_json(const MergedJob& merged) {
  JsonWriter json;
  json.begin_object().field("status", "Merged").field("exit_code", kExitCompleted);
  json.field("mini_batches", merged.all).field("mini_batches_done", merged.batches);
  json.field("mini_batches_in_part", merged.in_part).field("bytes", merged.bytes);
  add_list(json, "results", merged.targets);
  add_list(json, "outputs", merged.outputs);
  json.end_object();
  return json.text() + "\n";
}

std::string merged_places(const MergedJob& merged) {
  std::string out;
  for (const std::string& target : merged.targets) out += target + "\n";
  for (const std::string& folder : merged.outputs) out += folder + "\n";
  return out;
}

std::string merged_text(const MergedJob& merged) {
  std::string out;
  if (!merged.targets.empty()) {
    out += fmt::format("rows of {} of {} mini-batches{} ({}) are in {}\n",
                       human_count(merged.batches),
                       human_count(merged.all),
                       merged.in_part == 0
                           ? ""
                           : fmt::format(" and of parts of {} more", human_count(merged.in_part)),
                       human_bytes(merged.bytes),
                       fmt::join(merged.targets, ", "));
  }
  if (!merged.outputs.empty()) {
    out += fmt::format("files of {} of {} mini-batches are in {}\n",
                       human_count(merged.batches_with_files),
                       human_count(merged.all),
                       fmt::join(merged.outputs, ", "));
  }
  return out;
}

class JobMerge final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description("Publish what a failed or cancelled job has committed");
    app.footer(kFooter);
    app.add_option("JOB", job_, "Name or folder of the job")->required()->type_name("");
    voice_.declare(app, Voice::For::kAnswer);
  }

  int run(const Caller& caller) override {
    const Result<MergedJob> merged = merge_job(caller, job_);
    if (!merged) return voice_.report(merged.error());
    if (voice_.json()) {
      write_out(1, merged_json(*merged));
    } else {
      write_out(2, voice_.quiet() ? merged_places(*merged) : merged_text(*merged));
    }
    return kExitCompleted;
  }

 private:
  std::string job_;
  Voice voice_;
};

}  // namespace

std::unique_ptr<Command> make_job_merge_command() { return std::make_unique<JobMerge>(); }

}  // namespace windrow
