// SPDX-License-Identifier: Apache-2.0
//
// What the Tab key offers: the commands and options as they are declared, as a script for a shell.
//
// Thread: any; values in, text out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace windrow {

// What may stand in one place of a command line.
struct Completion {
  enum class Kind { kNothing, kWords, kFiles, kFolders, kJobs };
  Kind kind = Kind::kNothing;
  std::vector<std::string> words;
  bool open = false;  // a word is only the beginning of what is typed there
};

struct CompletedOption {
  std::vector<std::string> names;  // with their dashes
  std::string text;
  bool takes_value = false;
  Completion value;
};

struct CompletedCommand {
  std::string path;  // "windrow job resume"
  std::string text;
  std::vector<CompletedOption> options;
  Completion argument;
};

// Commands in the order of the help, each before those below it.
std::string bash_completion(const std::vector<CompletedCommand>& commands);
std::string zsh_completion(const std::vector<CompletedCommand>& commands);
std::string fish_completion(const std::vector<CompletedCommand>& commands);

}  // namespace windrow
