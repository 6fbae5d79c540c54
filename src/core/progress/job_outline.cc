// SPDX-License-Identifier: Apache-2.0
#include "core/progress/job_outline.h"

namespace windrow {

JobOutline outline_of(const JobState& state) {
  return JobOutline{.batches = static_cast<BatchId>(state.batches().size()),
                    .counts = state.counts(),
                    .errors = state.errors(),
                    .epoch = state.epoch(),
                    .plan = state.plan(),
                    .plan_bytes = state.plan_bytes(),
                    .started = state.started(),
                    .listing_ended = state.listing_ended(),
                    .publishing = !state.publishing().empty(),
                    .all_final = state.all_final(),
                    .stopped = state.stopped(),
                    .finished = state.finished()};
}

bool failed_for_good(const JobOutline& job) {
  return job.finished && job.stopped && job.stopped->for_good;
}

}  // namespace windrow
