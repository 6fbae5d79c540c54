// SPDX-License-Identifier: Apache-2.0
//
// windrow completion bash|zsh|fish
#include "cli/completion.h"

#include <algorithm>

#include "cli/command.h"
#include "cli/voice.h"
#include "core/spec/settings.h"
#include "os/machine.h"

namespace windrow {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  windrow completion bash > ~/.local/share/bash-completion/completions/windrow\n"
    "  windrow completion zsh > ~/.zfunc/_windrow         # a folder of $fpath\n"
    "  windrow completion fish > ~/.config/fish/completions/windrow.fish\n\n"
    "For this shell alone: source <(windrow completion bash)\n";

// "retry_settings.timeout=" and so on; keys below a user's own name cannot be known beforehand, and
// a $ would mean something to a shell.
std::vector<std::string> setting_words() {
  std::vector<std::string> words;
  for (const Setting& setting : settings()) {
    if (setting.key.find_first_of("<$") == std::string_view::npos) {
      words.push_back(std::string(setting.key) + "=");
    }
  }
  return words;
}

// The type that the help shows says what is meant.
Completion by_type(const std::string& type) {
  using Kind = Completion::Kind;
  if (type == "PATH" || type == "FILE") return {.kind = Kind::kFiles, .words = {}};
  if (type == "FOLDER") return {.kind = Kind::kFolders, .words = {}};
  if (type == "JOB") return {.kind = Kind::kJobs, .words = {}};
  if (type == "KEY=VALUE") return {.kind = Kind::kWords, .words = setting_words(), .open = true};
  Completion choice;
  for (std::size_t begin = 0; type.find('|') != std::string::npos && begin <= type.size();) {
    const std::size_t end = std::min(type.find('|', begin), type.size());
    choice.words.push_back(type.substr(begin, end - begin));
    begin = end + 1;
  }
  if (!choice.words.empty()) choice.kind = Kind::kWords;
  return choice;
}

void describe(const CLI::App& app, const std::string& above, std::vector<CompletedCommand>& out) {
  CompletedCommand command{.path = above + app.get_name(), .text = app.get_description()};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      command.argument =
          by_type(option->get_type_name().empty() ? option->get_name() : option->get_type_name());
      continue;
    }
    if (option->get_group().empty()) continue;  // not shown in the help either
    CompletedOption one{.names = {}, .text = option->get_description()};
    for (const std::string& name : option->get_snames()) one.names.push_back("-" + name);
    for (const std::string& name : option->get_lnames()) one.names.push_back("--" + name);
    one.takes_value = option->get_items_expected_max() > 0;
    if (one.takes_value) one.value = by_type(option->get_type_name());
    command.options.push_back(std::move(one));
  }
  const std::size_t place = out.size();
  out.push_back(std::move(command));
  const std::string below = out[place].path + " ";
  for (const CLI::App* child : app.get_subcommands({})) describe(*child, below, out);
}

class MakeCompletion final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description("Write a script that lets the Tab key complete commands and flags");
    app.footer(kFooter);
    app.add_option("SHELL", shell_, "The shell that it is for")
        ->required()
        ->type_name("bash|zsh|fish")
        ->check(CLI::IsMember({"bash", "zsh", "fish"}).description(""));
    app_ = &app;
  }

  [[nodiscard]] bool needs_home() const override { return false; }

  int run(const Caller& /*caller*/) override {
    const CLI::App* root = app_;
    while (root->get_parent() != nullptr) root = root->get_parent();
    std::vector<CompletedCommand> commands;
    describe(*root, "", commands);
    write_out(1,
              shell_ == "bash"  ? bash_completion(commands)
              : shell_ == "zsh" ? zsh_completion(commands)
                                : fish_completion(commands));
    return kExitCompleted;
  }

 private:
  const CLI::App* app_ = nullptr;
  std::string shell_;
};

}  // namespace

std::unique_ptr<Command> make_completion_command() { return std::make_unique<MakeCompletion>(); }

}  // namespace windrow
