// SPDX-License-Identifier: Apache-2.0
//
// Why a job is where it is, and what a mini-batch did, in sentences.
//
// Questions to the state and the facts behind it, nothing else: a job that runs, one that was
// killed and one that ended years ago are explained alike.
//
// Thread: any; values in, text out.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/progress/job_outline.h"
#include "core/progress/next_step.h"
#include "core/schedule/job_state.h"

namespace windrow {

// A worker that has been at a mini-batch for some seconds, as its log says.
struct AtWork {
  std::string process;  // process003
  BatchId batch = 0;
  std::uint32_t picked = 0;
  std::string since;  // when it began
  int pid = 0;
};

// Of the log of a worker process: what it is at, when the last line says that it has begun.
std::optional<AtWork> at_work(std::string_view process, std::string_view log);

// What the journal does not know of a job.
struct JobCircumstances {
  std::string name;
  bool running = false;              // a process is at work on it
  NextStep next;                     // what can be done with it
  std::vector<std::string> results;  // files that get rows
  std::string failed_items;          // the file with the dead letters
  std::uint32_t tries_max = 3;       // of a mini-batch
  std::vector<AtWork> at_work;       // of a job that is running
};

// "Completed", "Failed", "Canceled", "Running"; "Stopped" when nothing works on it.
std::string job_status(const JobOutline& outline, const JobCircumstances& job);

std::vector<std::string> explain_job(const JobOutline& outline, const JobCircumstances& job);

// What is known of one mini-batch.
struct BatchStory {
  BatchId id = 0;
  Batch batch;
  std::vector<Piece> pieces;                 // of one that was halved
  std::uint64_t pending_before = 0;          // mini-batches; of a job that is not over
  std::vector<std::string> items;            // paths, in order
  std::vector<fact::AttemptEnded> attempts;  // in the order of their ends
};

// What the state knows of it: all but items and attempts. REQUIRES: the state has it.
BatchStory story_of(const JobState& state, BatchId id);

std::vector<std::string> explain_batch(const JobOutline& outline,
                                       const JobCircumstances& job,
                                       const BatchStory& batch);

}  // namespace windrow
