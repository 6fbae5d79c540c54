// SPDX-License-Identifier: Apache-2.0
//
// The part of the Agent about files that scripts write, where outputs are staged.
#include <utility>

#include "agent/agent.h"
#include "base/process_name.h"

namespace windrow {

std::string Agent::private_folder(ProcessNumber process) const {
  return config_.folders.staged + "/" + process_name(process);
}

void Agent::report(order::ReportAttempt& one) {
  log_.attempt(one.record, one.record.items.value_or(one.items));
  say(to_master::AttemptEnded{std::move(one.record)});
}

// An attempt is reported when its files are durable: what the master commits must not be lost. The
// worker continues meanwhile, it has taken the files aside. Those of an attempt that failed vanish.
void Agent::keep_files(order::ReportAttempt one) {
  std::string aside = config_.folders.staged_done + "/" + staged_name(one.record.token);
  if (one.record.status != AttemptStatus::kRunDone) {
    if (one.record.status != AttemptStatus::kReturned) discard(std::move(aside));
    report(one);
    return;
  }
  struct Keeping {
    order::ReportAttempt one;
    Result<StagedAttempt> kept;
  };
  auto shared = std::make_shared<Keeping>(Keeping{std::move(one), {}});
  ++keeping_;
  loop_.blocking(
      [shared, fs = &fs_, aside, outputs = settings_.staged] {
        shared->kept = keep_staged(*fs, aside, outputs);
      },
      [self = self_, shared, joined = incarnation_] {
        // An agent that has joined again has reported that it holds nothing.
        if (*self == nullptr || (*self)->incarnation_ != joined) return;
        (*self)->files_kept(shared->one, shared->kept);
      });
}

void Agent::files_kept(order::ReportAttempt& one, Result<StagedAttempt>& kept) {
  --keeping_;
  if (!kept) {
    say(to_master::Broken{"staged files cannot be kept: " + kept.error().message});
    return;
  }
  AttemptRecord& record = one.record;
  if (!kept->refused.empty()) {
    record.status = AttemptStatus::kRunException;
    record.returned = 0;
    record.rows = {};
    record.reported.clear();
    record.error_type = "StagedFileError";
    record.error_message = std::move(kept->refused);
  }
  record.files = std::move(kept->files);
  report(one);
  if (stopping_) say_stopped_when_synced();
}

void Agent::discard(std::string folder) {
  loop_.blocking([fs = &fs_, folder = std::move(folder)] { remove_tree(*fs, folder); }, [] {});
}

}  // namespace windrow
