// SPDX-License-Identifier: Apache-2.0
//
// windrow help settings
#include <string>

#include "cli/command.h"
#include "cli/voice.h"
#include "core/spec/settings_text.h"
#include "os/machine.h"

namespace windrow {
namespace {

class HelpSettings final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description("Every key of a job file: what it means, what is allowed, its default");
    app.footer(
        "Examples:\n"
        "  windrow help settings\n"
        "  windrow help settings -o json\n\n"
        "-o markdown gives the table of the manual, -o json the same for programs.\n");
    add_choice(app, "-o", format_, {"text", "json", "markdown"}, "How it is written (text)");
  }

  [[nodiscard]] bool needs_home() const override { return false; }

  int run(const Caller& /*caller*/) override {
    write_out(1,
              format_ == "json"       ? settings_json()
              : format_ == "markdown" ? settings_markdown()
                                      : settings_text());
    return kExitCompleted;
  }

 private:
  std::string format_ = "text";
};

}  // namespace

std::unique_ptr<Command> make_help_settings_command() { return std::make_unique<HelpSettings>(); }

}  // namespace windrow
