// SPDX-License-Identifier: Apache-2.0
//
// windrow validate JOB.yml
#include <utility>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/job_options.h"
#include "cli/voice.h"
#include "core/spec/job_file.h"
#include "os/machine.h"

namespace windrow {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  windrow validate job.yml\n"
    "  windrow validate job.yml --set mini_batch_size=100 -o json\n\n"
    "Reports every problem with its place; exit code 0 when there is none, else 2.\n"
    "Looks at the job file, for a run() in its script, and for its inputs.\n";

std::string valid_json(const std::vector<Problem>& notices) {
  JsonWriter json;
  json.begin_object().field("status", "Valid").field("exit_code", kExitCompleted);
  add_problems(json, "notices", notices);
  json.end_object();
  return json.text() + "\n";
}

class Validate final : public Command {
 public:
  Validate(std::vector<std::string> arguments, bool has_arguments)
      : options_(std::move(arguments), has_arguments) {}

  void declare(CLI::App& app) override {
    app.description("Check a job file, its script and its inputs, and run nothing");
    app.footer(kFooter);
    options_.declare(app);
    voice_.declare(app, Voice::For::kAnswer);
  }

  [[nodiscard]] bool needs_home() const override { return false; }

  int run(const Caller& /*caller*/) override {
    const auto reading = options_.read(JobOptions::Look::kAll);
    if (!reading) return voice_.refuse(reading.error());
    voice_.say(problems_text(reading->notices));
    voice_.say(fmt::format("{} is valid\n", options_.job()));
    if (voice_.json()) write_out(1, valid_json(reading->notices));
    return kExitCompleted;
  }

 private:
  JobOptions options_;
  Voice voice_;
};

}  // namespace

std::unique_ptr<Command> make_validate_command(std::vector<std::string> script_arguments,
                                               bool has_script_arguments) {
  return std::make_unique<Validate>(std::move(script_arguments), has_script_arguments);
}

}  // namespace windrow
