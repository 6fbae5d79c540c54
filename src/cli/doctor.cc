// SPDX-License-Identifier: Apache-2.0
//
// windrow doctor
#include "workspace/trial/doctor.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/json.h"
#include "cli/command.h"
#include "cli/voice.h"
#include "os/machine.h"

namespace windrow {
namespace {

constexpr const char* kFooter =
    "Examples:\n"
    "  windrow doctor\n"
    "  windrow doctor -o json\n\n"
    "The exit code is 1 when something is in the way of every job, else 0.\n";

const char* word_of(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::kGood:
      return "good";
    case Finding::Kind::kDoubtful:
      return "doubtful";
    case Finding::Kind::kBad:
      break;
  }
  return "bad";
}

std::string findings_json(const std::vector<Finding>& findings) {
  JsonWriter json;
  json.begin_object().key("findings").begin_array();
  for (const Finding& finding : findings) {
    json.begin_object().field("subject", finding.subject).field("is", word_of(finding.kind));
    json.field("what", finding.what).field("advice", finding.advice).end_object();
  }
  json.end_array().end_object();
  return json.text() + "\n";
}

// `quiet`: what is good is not printed.
std::string findings_text(const std::vector<Finding>& findings, bool quiet) {
  std::string out;
  for (const Finding& finding : findings) {
    if (quiet && finding.kind == Finding::Kind::kGood) continue;
    out += fmt::format("{:<9} {:<14} {}\n", word_of(finding.kind), finding.subject, finding.what);
    if (!finding.advice.empty()) out += fmt::format("{:24} {}\n", "", finding.advice);
  }
  return out;
}

class Doctor final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description("Check whether this machine is fit for jobs, and say what to do");
    app.footer(kFooter);
    voice_.declare(app, Voice::For::kAnswer);
  }

  [[nodiscard]] bool needs_home() const override { return false; }

  int run(const Caller& caller) override {
    const std::vector<Finding> findings = examine_machine(caller);
    write_out(1, voice_.json() ? findings_json(findings) : findings_text(findings, voice_.quiet()));
    const bool bad = std::ranges::any_of(
        findings, [](const Finding& one) { return one.kind == Finding::Kind::kBad; });
    return bad ? kExitFailed : kExitCompleted;
  }

 private:
  Voice voice_;
};

}  // namespace

std::unique_ptr<Command> make_doctor_command() { return std::make_unique<Doctor>(); }

}  // namespace windrow
