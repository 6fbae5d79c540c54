// SPDX-License-Identifier: Apache-2.0
//
// How a run ended, as text for people and as a document for programs.
//
// Thread: any; values in, text out.
#pragma once

#include <string>

#include "core/progress/next_step.h"
#include "journal/job_folder.h"
#include "workspace/run/run_outcome.h"

namespace windrow {

struct RunEnd {
  RunOutcome outcome;
  JobFolder folder{""};
  std::string name;
  std::string job;     // what commands know it by: its name, or its folder
  bool named = false;  // by the user, as its folder may be: the same command means the same job
  bool retry = false;  // of another job: the same command means another one
  bool table = false;  // its items are rows
  std::string failed_before;     // of a retry: the failed items of that job, when it is there
  NextStep next;                 // of a job that is over
  std::string first_failed;      // the first failed item and its error; may be empty
  bool speaks = false;           // a program that is to speak the worker protocol
  bool may_retry_short = false;  // it might help to try again what returned less than it was given
};

int exit_code(const RunOutcome& outcome);

// Status, counts, time, where the result is, what to do next; last of all, for a failure, its
// first traceback and the file it came from. `quiet` leaves out what is not a status, place or
// error, and the advice to a job that completed.
std::string end_text(const RunEnd& end, bool quiet);

// One JSON object on one line.
std::string end_json(const RunEnd& end);

}  // namespace windrow
