// SPDX-License-Identifier: Apache-2.0
#include "cli/voice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/command.h"
#include "core/spec/job_file.h"
#include "os/machine.h"

namespace windrow {
namespace {

std::string_view status_of(int code) {
  switch (code) {
    case kExitRefused:
      return "Refused";
    case kExitNotFound:
      return "NotFound";
    default:
      return "Failed";
  }
}

void write_problems(const std::vector<Problem>& problems, int code) {
  JsonWriter json;
  json.begin_object().field("status", status_of(code)).field("exit_code", code);
  add_problems(json, "problems", problems);
  json.end_object();
  write_out(1, json.text() + "\n");
}

}  // namespace

void Voice::declare(CLI::App& app, For what) {
  app.add_flag("-q,--quiet", quiet_, "Print only how it ended");
  if (what == For::kJob) {
    app.add_flag("-v,--verbose", verbose_, "Print more: workers that start and end, failures");
  }
  add_choice(app, "-o", format_, {"text", "json"}, "json: one document on standard output (text)");
}

void Voice::say(std::string_view text) const {
  if (!quiet_) write_out(2, text);
}

int Voice::refuse(const std::vector<Problem>& problems) const {
  write_out(2, problems_text(problems));
  if (json()) write_problems(problems, kExitRefused);
  return kExitRefused;
}

int Voice::report(const Error& error) const {
  const int code = windrow::report(error);
  if (json()) write_problems({{"", error.message}}, code);
  return code;
}

void add_problems(JsonWriter& json, std::string_view key, const std::vector<Problem>& problems) {
  json.key(key).begin_array();
  for (const Problem& problem : problems) {
    json.begin_object().field("where", problem.where).field("message", problem.message);
    json.end_object();
  }
  json.end_array();
}

void add_choice(CLI::App& app,
                const std::string& name,
                std::string& value,
                const std::vector<std::string>& words,
                const std::string& text) {
  app.add_option(name, value, text)
      ->type_name(fmt::format("{}", fmt::join(words, "|")))
      ->check(CLI::IsMember(words).description(""));
}

}  // namespace windrow
