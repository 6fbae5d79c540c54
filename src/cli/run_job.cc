// SPDX-License-Identifier: Apache-2.0
#include "cli/run_job.h"

#include <utility>

#include "base/json.h"
#include "cli/command.h"
#include "cli/run_screen.h"
#include "os/background.h"
#include "os/machine.h"
#include "workspace/run/run_job.h"

namespace windrow {
namespace {

Status check_voice(const Voice& voice) {
  if (!voice.quiet() || !voice.verbose()) return {};
  return fail(ErrorCode::kInvalid, "-q and -v contradict each other: give one of them");
}

int run(const Voice& voice, const Caller& caller, JobStart& start, RunScreen& screen) {
  const Result<int> code = run_job(caller, start, screen);
  return code ? *code : voice.report(code.error());
}

// What is printed when a job continues in the background.
void say_running(const Voice& voice, const std::string& name) {
  if (voice.json()) {
    JsonWriter json;
    json.begin_object().field("job", name).field("status", "Running");
    json.field("exit_code", kExitCompleted).end_object();
    write_out(1, json.text() + "\n");
  } else if (voice.quiet()) {
    write_out(1, name + "\n");
  } else {
    write_out(2,
              fmt::format("job {} is running in the background\n"
                          "Follow it: windrow job stream {}\n"
                          "Stop it: windrow job cancel {}\n",
                          name,
                          name,
                          name));
  }
}

}  // namespace

int run_and_show(const Voice& voice, const Caller& caller, JobStart& start) {
  if (const Status right = check_voice(voice); !right) return voice.report(right.error());
  RunScreen screen(voice);
  return run(voice, caller, start, screen);
}

int run_detached(const Voice& voice, const Caller& caller, JobStart& start) {
  if (const Status right = check_voice(voice); !right) return voice.report(right.error());
  Result<Background> background = Background::split();
  if (!background) return voice.report(background.error());
  if (background->is_copy()) {
    RunScreen screen(voice, [&](const std::string& name) { background->detach(name); });
    return run(voice, caller, start, screen);
  }
  const Background::Ending ending = background->wait();
  if (ending.word.empty()) return ending.exit_code;
  say_running(voice, ending.word);
  return kExitCompleted;
}

}  // namespace windrow
