// SPDX-License-Identifier: Apache-2.0
//
// How a command speaks: -q, -v and -o.
//
// People read standard error. With `-o json` programs get one document on standard output, at the
// end, whatever came of it; without it nothing but what a command was asked for goes there.
//
// Thread: one. Failure: none; what cannot be written is dropped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <CLI/App.hpp>

#include "base/json.h"
#include "base/result.h"
#include "core/spec/job_spec.h"

namespace windrow {

class Voice {
 public:
  enum class For { kAnswer, kJob };

  // -q and -o, and -v for commands that run a job. Keeps references until the line is parsed.
  void declare(CLI::App& app, For what);

  [[nodiscard]] bool quiet() const { return quiet_; }
  [[nodiscard]] bool verbose() const { return verbose_; }
  [[nodiscard]] bool json() const { return format_ == "json"; }

  // To people, unless they want it quiet.
  void say(std::string_view text) const;

  // What went wrong, to people and with -o json to programs. They return the exit code.
  [[nodiscard]] int refuse(const std::vector<Problem>& problems) const;
  [[nodiscard]] int report(const Error& error) const;

 private:
  bool quiet_ = false;
  bool verbose_ = false;
  std::string format_ = "text";
};

// A list under `key` of a document: place and message of each.
void add_problems(JsonWriter& json, std::string_view key, const std::vector<Problem>& problems);

// An option whose value is one of `words`: help, check and completion know them.
void add_choice(CLI::App& app,
                const std::string& name,
                std::string& value,
                const std::vector<std::string>& words,
                const std::string& text);

}  // namespace windrow
