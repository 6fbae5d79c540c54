// SPDX-License-Identifier: Apache-2.0
//
// Another program, and what it writes to its standard output.
//
// Thread: any; blocks until the program ends or its time is up. The engine never forks once it has
// threads: this starts the program as vfork does, in a child that copies nothing and takes no lock.
// Ownership: nothing is left running. Failure: kNotFound without such a program, kUnavailable when
// it could not be started, took too long, or was stopped by somebody and does not continue.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace windrow {

struct ProgramEnd {
  std::string output;
  int status = 0;  // as waitpid(2) has it
};

// "signal 9" or "exit code 9".
std::string ended_by(const ProgramEnd& end);

// Runs argv, and keeps at most `max` bytes of its output; argv[0] is looked up in PATH. Its input
// is /dev/null, and its standard error goes behind what is in the file `errors`, or with none to
// /dev/null. REQUIRES: argv is not empty.
Result<ProgramEnd> run_to_end(const std::vector<std::string>& argv,
                              Duration limit,
                              std::uint64_t max,
                              const std::string& errors = "");

// The output of a small program of the system's, such as ps; kUnavailable when it failed.
Result<std::string> run_program(const std::vector<std::string>& argv,
                                Duration limit,
                                std::uint64_t max);

}  // namespace windrow
