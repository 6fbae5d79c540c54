// SPDX-License-Identifier: Apache-2.0
//
// The scripts. Each finds the command that the words before the cursor name, then looks up what the
// word before takes, or what the command itself does.
#include <functional>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/completion.h"

namespace windrow {
namespace {

using Kind = Completion::Kind;

constexpr std::string_view kJobs = "${WINDROW_HOME:-$HOME/.windrow}/jobs";

// In single quotes for sh and its kin.
std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string_view last_word(const CompletedCommand& command) {
  return std::string_view(command.path).substr(command.path.rfind(' ') + 1);
}

bool is_below(const CompletedCommand& command, const CompletedCommand& above) {
  return command.path.starts_with(above.path + " ") && command.path.rfind(' ') == above.path.size();
}

std::vector<const CompletedCommand*> commands_below(const std::vector<CompletedCommand>& commands,
                                                    const CompletedCommand& above) {
  std::vector<const CompletedCommand*> out;
  for (const CompletedCommand& command : commands) {
    if (is_below(command, above)) out.push_back(&command);
  }
  return out;
}

// 'windrow run'|'windrow job resume': every command but the root.
std::string known_paths(const std::vector<CompletedCommand>& commands) {
  std::vector<std::string> paths;
  for (const CompletedCommand& command : commands) {
    if (command.path.find(' ') != std::string::npos) paths.push_back(quoted(command.path));
  }
  return fmt::format("{}", fmt::join(paths, "|"));
}

// A branch of `case "$command $previous"` for each option with a value.
std::string value_branches(const std::vector<CompletedCommand>& commands,
                           const std::function<std::string(const Completion&)>& offer) {
  std::string out;
  for (const CompletedCommand& command : commands) {
    for (const CompletedOption& option : command.options) {
      if (!option.takes_value) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : option.names) {
        patterns.push_back(quoted(command.path + " " + name));
      }
      out += fmt::format("    {}) {}; return ;;\n", fmt::join(patterns, "|"), offer(option.value));
    }
  }
  return out;
}

// Readline completes files better than a list of ours could: quotes, spaces, tildes.
std::string bash_offer(const Completion& what) {
  switch (what.kind) {
    case Kind::kNothing:
      return ":";
    case Kind::kWords:
      return fmt::format("{}COMPREPLY=($(compgen -W {} -- \"$cur\"))",
                         what.open ? "compopt -o nospace; " : "",
                         quoted(fmt::format("{}", fmt::join(what.words, " "))));
    case Kind::kFiles:
      return "compopt -o default";
    case Kind::kFolders:
      return "compopt -o dirnames";
    case Kind::kJobs:
      return fmt::format(
          "compopt -o default; COMPREPLY=($(compgen -W \"$(command ls \"{}\" 2>/dev/null)\" -- "
          "\"$cur\"))",
          kJobs);
  }
  return ":";
}

std::string zsh_offer(const Completion& what) {
  switch (what.kind) {
    case Kind::kNothing:
      return "_message 'a value'";
    case Kind::kWords:
      return fmt::format("compadd {}-- {}", what.open ? "-S '' " : "", fmt::join(what.words, " "));
    case Kind::kFiles:
      return "_files";
    case Kind::kFolders:
      return "_files -/";
    case Kind::kJobs:
      return fmt::format("compadd -- \"{}\"/*(N:t); _files -/", kJobs);
  }
  return ":";
}

// name:text for _describe, where a colon ends the name.
std::string zsh_line(std::string_view name, std::string_view text) {
  return quoted(fmt::format("{}:{}", name, text));
}

// Double quotes within single ones need no care in fish; a backslash and a single quote do.
std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish_offer(const Completion& what) {
  switch (what.kind) {
    case Kind::kNothing:
      return "-x";
    case Kind::kWords:
      return fmt::format("-x -a {}", fish_quoted(fmt::format("{}", fmt::join(what.words, " "))));
    case Kind::kFiles:
      return "-r -F";
    case Kind::kFolders:
      return "-x -a '(__fish_complete_directories (commandline -ct))'";
    case Kind::kJobs:
      return "-x -a '(__windrow_jobs) (__fish_complete_directories (commandline -ct))'";
  }
  return "";
}

std::string fish_option(const CompletedCommand& command, const CompletedOption& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  return fmt::format("complete -c windrow -n '__windrow_at {}'{}{} -d {}\n",
                     command.path,
                     names,
                     option.takes_value ? " " + fish_offer(option.value) : "",
                     fish_quoted(option.text));
}

}  // namespace

std::string bash_completion(const std::vector<CompletedCommand>& commands) {
  std::string branches;
  for (const CompletedCommand& command : commands) {
    std::vector<std::string> names;
    for (const CompletedOption& option : command.options) {
      names.insert(names.end(), option.names.begin(), option.names.end());
    }
    Completion argument = command.argument;
    for (const CompletedCommand* below : commands_below(commands, command)) {
      argument.kind = Kind::kWords;
      argument.words.emplace_back(last_word(*below));
    }
    branches += fmt::format(
        "    {})\n"
        "      if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W '{}' -- \"$cur\"))\n"
        "      else {}; fi ;;\n",
        quoted(command.path),
        fmt::join(names, " "),
        bash_offer(argument));
  }
  return fmt::format(
      R"(# Completion of windrow for bash; made by `windrow completion bash`.
_windrow() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}}
  local command=windrow word IFS=$' \t\n'
  COMPREPLY=()
  # --flag=value comes as three words.
  if [[ $cur == = ]]; then cur=; elif [[ $previous == = ]]; then
    previous=${{COMP_WORDS[COMP_CWORD-2]}}
  fi
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $word in --) compopt -o default; return ;; esac
    case "$command $word" in
      {}) command="$command $word" ;;
    esac
  done
  case "$command $previous" in
{}  esac
  case $command in
{}  esac
}}
complete -F _windrow windrow
)",
      known_paths(commands),
      value_branches(commands, bash_offer),
      branches);
}

std::string zsh_completion(const std::vector<CompletedCommand>& commands) {
  std::string branches;
  for (const CompletedCommand& command : commands) {
    std::vector<std::string> options;
    for (const CompletedOption& option : command.options) {
      for (const std::string& name : option.names) options.push_back(zsh_line(name, option.text));
    }
    std::vector<std::string> below;
    for (const CompletedCommand* one : commands_below(commands, command)) {
      below.push_back(zsh_line(last_word(*one), one->text));
    }
    branches +=
        fmt::format("    {})\n      list=({})\n", quoted(command.path), fmt::join(options, " "));
    branches += "      if [[ $PREFIX == -* ]]; then _describe option list; return; fi\n";
    if (below.empty()) {
      branches += fmt::format("      {} ;;\n", zsh_offer(command.argument));
    } else {
      branches +=
          fmt::format("      list=({})\n      _describe command list ;;\n", fmt::join(below, " "));
    }
  }
  return fmt::format(
      R"(#compdef windrow
# Completion of windrow for zsh; made by `windrow completion zsh`.
_windrow() {{
  local command=windrow word
  local -a list
  for word in "${{(@)words[2,CURRENT-1]}}"; do
    case $word in --) _files; return ;; esac
    case "$command $word" in
      {}) command="$command $word" ;;
    esac
  done
  case "$command ${{words[CURRENT-1]}}" in
{}  esac
  case $command in
{}  esac
}}
if [[ $funcstack[1] == _windrow ]]; then _windrow "$@"; else compdef _windrow windrow; fi
)",
      known_paths(commands),
      value_branches(commands, zsh_offer),
      branches);
}

std::string fish_completion(const std::vector<CompletedCommand>& commands) {
  std::string lines;
  for (const CompletedCommand& command : commands) {
    for (const CompletedOption& option : command.options) lines += fish_option(command, option);
    const auto below = commands_below(commands, command);
    for (const CompletedCommand* one : below) {
      lines += fmt::format("complete -c windrow -n '__windrow_at {}' -a {} -d {}\n",
                           command.path,
                           last_word(*one),
                           fish_quoted(one->text));
    }
    if (below.empty() && command.argument.kind != Kind::kNothing) {
      lines += fmt::format(
          "complete -c windrow -n '__windrow_at {}' {}\n",
          command.path,
          command.argument.kind == Kind::kFiles ? "-F" : fish_offer(command.argument).substr(3));
    }
  }
  return fmt::format(
      R"(# Completion of windrow for fish; made by `windrow completion fish`.
function __windrow_at
  set -l command windrow
  for word in (commandline -opc)[2..-1]
    switch "$command $word"
      case {}
        set command "$command $word"
    end
  end
  test "$command" = "$argv"
end
function __windrow_jobs
  set -l home $WINDROW_HOME
  test -n "$home"; or set home ~/.windrow
  command ls $home/jobs 2>/dev/null
end
complete -c windrow -f
{})",
      fmt::format("{}",
                  [&] {
                    std::string paths = known_paths(commands);
                    for (char& c : paths) c = c == '|' ? ' ' : c;
                    return paths;
                  }()),
      lines);
}

}  // namespace windrow
