// SPDX-License-Identifier: Apache-2.0
#include "cli/main.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <memory>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "cli/command.h"
#include "core/spec/job_paths.h"
#include "os/machine.h"

namespace windrow {
namespace {

constexpr const char* kFooter =
    "First steps:\n"
    "  windrow run score.py --input FOLDER        run(mini_batch) over its files\n"
    "  windrow run job.yml                        the same from a job file\n"
    "  windrow job list                           all jobs, and how they stand\n"
    "  windrow job resume JOB                     resume a job that stopped or failed\n"
    "  windrow plan score.py --input FOLDER       what that would do, without doing it\n"
    "  windrow explain JOB                        why it is where it is\n"
    "  windrow help settings                      every key of a job file\n"
    "  windrow completion bash                    Tab completion of names and flags\n"
    "  windrow COMMAND --help                     all about a command\n";

constexpr const char* kJobFooter =
    "Examples:\n"
    "  windrow job list\n"
    "  windrow job show score-2026-11-15-calm-heron\n"
    "  windrow job stream score-2026-11-15-calm-heron\n"
    "  windrow job cancel score-2026-11-15-calm-heron\n"
    "  windrow job resume score-2026-11-15-calm-heron\n"
    "  windrow job merge score-2026-11-15-calm-heron\n";

constexpr const char* kHelpFooter =
    "Examples:\n"
    "  windrow help settings\n";

int exit_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalid:
    case ErrorCode::kConflict:
      return kExitRefused;
    case ErrorCode::kNotFound:
      return kExitNotFound;
    case ErrorCode::kUnavailable:
    case ErrorCode::kInternal:
      return kExitFailed;
  }
  return kExitFailed;
}

// The right column of the help, in 80 columns; CLI11 indents what comes after a line break.
std::string wrapped(const std::string& text) {
  constexpr std::size_t kWidth = 49;
  std::string out;
  std::size_t column = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const bool fits = column == 0 || column + 1 + end - at <= kWidth;
    if (column > 0) out += fits ? ' ' : '\n';
    column = (fits && column > 0 ? column + 1 : 0) + end - at;
    out.append(text, at, end - at);
    at = end + 1;
  }
  return out;
}

class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(option->get_description());
  }
  std::string make_subcommand(const CLI::App* app) const override {
    std::stringstream out;
    CLI::detail::format_help(
        out, app->get_display_name(true), wrapped(app->get_description()), get_column_width());
    return out.str();
  }
};

// Each with what was declared for it.
using Commands = std::vector<std::pair<CLI::App*, std::unique_ptr<Command>>>;

// One command below `parent`; `chosen` is set when it is the one.
void add(CLI::App& parent, const char* name, std::unique_ptr<Command> command, Commands& commands) {
  CLI::App* app = parent.add_subcommand(name, "")->group("Commands");
  command->declare(*app);
  commands.emplace_back(app, std::move(command));
}

// The command that was being read: windrow, or run, or job resume below it.
const CLI::App& deepest(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : deepest(*chosen.front());
}

std::string full_name(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  return parent == nullptr ? app.get_name() : full_name(*parent) + " " + app.get_name();
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& known) {
  const std::vector<std::string_view> views(known.begin(), known.end());
  const auto near = nearest_name(word, views);
  return near ? fmt::format("; did you mean {}?", *near) : "";
}

std::string unknown_command(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  std::string below;  // `job resume` for `resume`
  for (const CLI::App* command : app.get_subcommands({})) {
    names.push_back(command->get_name());
    for (const CLI::App* one : command->get_subcommands({})) {
      if (one->get_name() != word) continue;
      below = fmt::format("; did you mean {} {}?", command->get_name(), word);
    }
  }
  return fmt::format("{} has no command {}, only: {}{}",
                     full_name(app),
                     in_quotes(word),
                     fmt::join(names, ", "),
                     below.empty() ? did_you_mean(word, names) : below);
}

// Flags that people bring along from elsewhere.
struct OtherWord {
  std::string_view flag;
  std::string_view advice;
};

constexpr auto kOtherWords = std::to_array<OtherWord>({
    {"--batch-size", "did you mean --mini-batch-size?"},
    {"--dry-run", "`windrow plan` with the same words shows what would run"},
    {"--force", "--set output_exists=overwrite replaces an old result"},
    {"--ignore", "--set inputs.data.ignore=GLOB leaves files out"},
    {"--overwrite", "--set output_exists=overwrite replaces an old result"},
    {"--processes", "did you mean --workers?"},
    {"--resume", "the same command resumes the job"},
    {"--retries", "did you mean --max-retries?"},
});

std::string unknown_word(const CLI::App& app, const std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  const CLI::Option* input = app.get_option_no_throw("--input");
  if (!name.starts_with("-")) {
    const char* const advice =
        input == nullptr ? ""
        : input->count() > 0
            ? "; put a glob in quotes, as in --input 'photos/*.jpg', or give the folder"
            : "; name the input with --input, and put arguments of the script after --";
    return fmt::format("{} does not take {}{}", full_name(app), in_quotes(word), advice);
  }
  const auto* other = std::ranges::find(kOtherWords, name, &OtherWord::flag);
  if (input != nullptr && other != kOtherWords.end()) {
    return fmt::format("{} has no flag {}; {}", full_name(app), name, other->advice);
  }
  std::vector<std::string> flags;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& flag : option->get_lnames()) flags.push_back("--" + flag);
  }
  std::string advice = did_you_mean(name, flags);
  if (advice.empty() && input != nullptr) advice = "; put arguments of the script after --";
  return fmt::format("{} has no flag {}{}", full_name(app), name, advice);
}

// "--error-threshold="
bool is_flag_without_value(std::string_view word) {
  return word.starts_with("--") && word.find('=') == word.size() - 1;
}

// `help run` is `run --help`.
std::vector<std::string> with_help_behind(const CLI::App& app, std::vector<std::string> words) {
  const bool asks = words.size() > 1 && words.front() == "help" && words[1] != "help";
  const auto commands = app.get_subcommands({});
  if (!asks || std::ranges::find(commands, words[1], &CLI::App::get_name) == commands.end()) {
    return words;
  }
  words.erase(words.begin());
  words.emplace_back("--help");
  return words;
}

// What is wrong with the command line, in our words.
std::string refusal(const CLI::App& app, const CLI::ParseError& error) {
  const std::vector<std::string> unknown = app.remaining();
  const bool wants_command = app.get_require_subcommand_min() > 0;
  if (!unknown.empty() && wants_command) return unknown_command(app, unknown.front());
  // CLI11 gives flags and plain words in the order of the line, values of unknown flags included.
  const auto flag =
      std::ranges::find_if(unknown, [](const std::string& word) { return word.starts_with("-"); });
  if (flag != unknown.end()) return unknown_word(app, *flag);
  if (!unknown.empty()) return unknown_word(app, unknown.front());
  // "Could not convert: BATCH = abc"; every value that CLI11 converts is a number.
  constexpr std::string_view kNoNumber = "Could not convert: ";
  const std::string_view what = error.what();
  const std::size_t value = what.find(" = ");
  if (what.starts_with(kNoNumber) && value != std::string_view::npos) {
    return fmt::format("{}: {} is a whole number, not {}",
                       full_name(app),
                       what.substr(kNoNumber.size(), value - kNoNumber.size()),
                       in_quotes(what.substr(value + 3)));
  }
  return fmt::format("{}: {}", full_name(app), what);
}

// windrow job ...
void add_job_commands(CLI::App& app, Commands& commands) {
  CLI::App* job = app.add_subcommand(
      "job", "List, show, follow, cancel and resume jobs, or publish what one has");
  job->group("Commands")->footer(kJobFooter);
  job->require_subcommand(1);
  add(*job, "list", make_job_list_command(), commands);
  add(*job, "show", make_job_show_command(), commands);
  add(*job, "stream", make_job_stream_command(), commands);
  add(*job, "cancel", make_job_cancel_command(), commands);
  add(*job, "resume", make_job_resume_command(), commands);
  add(*job, "merge", make_job_merge_command(), commands);
}

// What commands would otherwise have to ask the environment for.
Result<Caller> find_caller(bool needs_home) {
  Caller caller{.home = "", .folder = current_folder()};
  if (const auto home = environment_value("WINDROW_HOME")) {
    caller.home = join_path(caller.folder, *home);
  } else if (const auto user_home = environment_value("HOME")) {
    caller.home = *user_home + "/.windrow";
  } else if (needs_home) {
    return fail(ErrorCode::kInvalid,
                "neither WINDROW_HOME nor HOME is set, so there is no place for jobs and caches; "
                "set WINDROW_HOME to a folder of yours");
  }
  return caller;
}

}  // namespace

int report(const Error& error) {
  write_out(2, fmt::format("windrow: {}\n", error.message));
  return exit_code(error.code);
}

int command_line(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // whoever read our lines may go away: the job continues
  // What stands behind `--` belongs to the user's script, whatever it looks like.
  std::vector<std::string> ours(argv + 1, argv + argc);
  std::vector<std::string> scripts;
  const auto dashes = std::ranges::find(ours, "--");
  const bool has_script_arguments = dashes != ours.end();
  if (has_script_arguments) {
    scripts.assign(dashes + 1, ours.end());
    ours.erase(dashes, ours.end());
  }
  CLI::App app("Runs a Python function over files: every result once, or a reason why not",
               "windrow");
  app.formatter(std::make_shared<HelpFormatter>());
  app.get_formatter()->label("SUBCOMMAND", "COMMAND");
  app.get_formatter()->label("Positionals", "Arguments");
  app.get_formatter()->label("REQUIRED", "");
  app.set_version_flag("--version", "windrow " WINDROW_VERSION);
  app.require_subcommand(1);
  app.footer(kFooter);
  Commands commands;
  add(app, "run", make_run_command(scripts, has_script_arguments), commands);
  add(app, "plan", make_plan_command(scripts, has_script_arguments), commands);
  add(app, "validate", make_validate_command(scripts, has_script_arguments), commands);
  add_job_commands(app, commands);
  add(app, "retry", make_retry_command(), commands);
  add(app, "explain", make_explain_command(), commands);
  add(app, "replay", make_replay_command(), commands);
  add(app, "describe-table", make_describe_table_command(), commands);
  add(app, "report", make_report_command(), commands);
  add(app, "doctor", make_doctor_command(), commands);
  add(app, "prune", make_prune_command(), commands);
  CLI::App* help = app.add_subcommand("help", "Lists for looking things up");
  help->group("Commands")->footer(kHelpFooter);
  help->require_subcommand(1);
  add(*help, "settings", make_help_settings_command(), commands);
  add(app, "completion", make_completion_command(), commands);
  // CLI11 would take the next word for its value.
  if (const auto empty = std::ranges::find_if(ours, is_flag_without_value); empty != ours.end()) {
    write_out(2, fmt::format("windrow: {} needs a value\n", *empty));
    return kExitRefused;
  }
  ours = with_help_behind(app, std::move(ours));
  std::ranges::reverse(ours);
  try {
    app.parse(ours);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    const CLI::App& command = deepest(app);
    if (command.get_require_subcommand_min() > 0 && command.remaining().empty()) {
      write_out(2, app.help());
      return kExitRefused;
    }
    write_out(
        2,
        fmt::format("{}\n`{} --help` explains it\n", refusal(command, error), full_name(command)));
    return kExitRefused;
  }
  for (const auto& [parsed, command] : commands) {
    if (!parsed->parsed()) continue;
    const Result<Caller> caller = find_caller(command->needs_home());
    return caller ? command->run(*caller) : report(caller.error());
  }
  return kExitRefused;
}

}  // namespace windrow
