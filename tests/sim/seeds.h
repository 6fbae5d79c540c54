// SPDX-License-Identifier: Apache-2.0
//
// Runs many seeds, in processes of their own, because a broken invariant aborts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace windrow::sim {

// The value of an environment variable that is a number.
std::uint64_t number_from(const char* variable, std::uint64_t otherwise);

// The command that runs one seed again, for people.
std::string command_for(std::uint64_t seed);

// Runs the seeds from `first` below `end` in steps of `step`, and stops at the first that fails.
// Returns whether all were right. Says which one was not, unless `quiet`.
bool run_seeds(std::uint64_t first, std::uint64_t end, std::uint64_t step, bool quiet);

// The same on two cores, each half in a child process.
bool run_seeds_on_two_cores(std::uint64_t end);

// Starts a child process that ends with what `body` says; waits for one.
int run_child(const std::function<bool()>& body);
bool ended_well(int child);

}  // namespace windrow::sim
