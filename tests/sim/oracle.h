// SPDX-License-Identifier: Apache-2.0
//
// Says whether what the engine has done is right, from the input and the script alone.
#pragma once

#include <optional>
#include <string>

#include "core/schedule/job_state.h"
#include "os/fake_file_system.h"
#include "surroundings.h"

namespace windrow::sim {

// The rows of a job in which exactly these mini-batches failed.
std::string expected_rows(const Scenario& scenario, const JobState& state);

// The first difference between two states; nothing when they are the same.
std::optional<std::string> difference(const JobState& a, const JobState& b);

// Replays what is on the disk: every journal must be a beginning of what its master decided, and
// when all of it is there, give the state that the master has. Nothing when all is well.
std::optional<std::string> check_replay(const Surroundings& world,
                                        FileSystem& fs,
                                        const JobState* live);

// The result is about to get its name: would a power cut now leave all that speaks for it?
std::optional<std::string> check_publish(const FakeFileSystem& disk);

// The job is over: status, counts, result and what is left behind.
std::optional<std::string> check_end(const Surroundings& world,
                                     const FakeFileSystem& disk,
                                     const JobState& state,
                                     bool disk_failed);

}  // namespace windrow::sim
