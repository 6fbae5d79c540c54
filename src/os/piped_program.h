// SPDX-License-Identifier: Apache-2.0
//
// A program with pipes at its three ends: lines go in, lines come out, and what it says on its
// stderr is passed on to ours and remembered for the day it fails.
//
// Thread: one. Ownership: the process, which is killed and waited for at the latest by the
// destructor; what it has started itself is not. Failure: kUnavailable when it cannot be started.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "os/descriptor.h"

namespace windrow {

class PipedProgram {
 public:
  // REQUIRES: SIGPIPE is ignored.
  static Result<std::unique_ptr<PipedProgram>> start(const std::vector<std::string>& argv);

  PipedProgram(const PipedProgram&) = delete;
  PipedProgram& operator=(const PipedProgram&) = delete;
  ~PipedProgram();

  // Reads until the program waits for its input and all it wrote before has come, or it has closed
  // its output. Returns at once with what came when something did: empty when it wrote nothing.
  // Where the system does not tell what a program waits for, nothing for a while must do.
  std::string quiet();

  // Writes all of `input` and reads until so many lines have come and the program waits for more,
  // or it has closed its output. What comes beyond these lines is there too, not always all of it.
  // A program that stops reading is not waited for.
  std::string exchange(std::string_view input, std::uint64_t lines);
  // The same until the program has closed its output; its own input ends behind `input`.
  std::string exchange_last(std::string_view input);

  // Closes its input and waits for its end; what it still writes is lost. Nothing when it exited
  // with 0, else how it ended: "exited with 3", "was killed by signal 9".
  std::string wait();

  // The end of what it wrote to its stderr.
  [[nodiscard]] const std::string& last_errors() const { return errors_; }

 private:
  PipedProgram(pid_t pid, Descriptor input, Descriptor output, Descriptor errors);
  std::string pump(std::string_view input, std::uint64_t lines, bool last);
  bool read_some(Descriptor& from, std::string& into) const;
  void write_some(std::string_view& rest);
  void pass_on_errors();

  pid_t pid_;
  Descriptor input_;   // of the program: we write
  Descriptor output_;  // of the program: we read
  Descriptor error_;
  std::string errors_;
};

}  // namespace windrow
