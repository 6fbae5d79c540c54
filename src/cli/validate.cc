// SPDX-License-Identifier: Apache-2.0
//
// windrow validate JOB.yml
#include <utility>

#include "cli/command.h"
#include "cli/job_options.h"
#include "core/spec/job_file.h"
#include "os/machine.h"

namespace windrow {
namespace {

class Validate final : public Command {
 public:
  Validate(std::vector<std::string> arguments, bool has_arguments)
      : options_(std::move(arguments), has_arguments) {}

  void declare(CLI::App& app) override {
    app.description("Check a job file and nothing else");
    app.footer(
        "Says every problem with its place; exit code 0 when there is none, else 2. Only the file\n"
        "is read: whether script and input exist is for `windrow plan` to say.\n");
    options_.declare(app);
  }

  int run() override {
    const auto reading = options_.read();
    if (!reading) {
      write_out(2, problems_text(reading.error()));
      return kExitRefused;
    }
    write_out(2, problems_text(reading->notices));
    write_out(2, fmt::format("{} is valid\n", options_.job()));
    return kExitCompleted;
  }

 private:
  JobOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_validate_command(std::vector<std::string> script_arguments,
                                               bool has_script_arguments) {
  return std::make_unique<Validate>(std::move(script_arguments), has_script_arguments);
}

}  // namespace windrow
