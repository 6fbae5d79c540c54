// SPDX-License-Identifier: Apache-2.0
//
// A copy of this process that outlives the command and its terminal.
//
//   Background background = *Background::split();
//   if (background.is_copy()) { ...; background.detach("name"); ... }
//   else { background.wait() }
//
// Until it detaches, the copy speaks on the same terminal and gets the same Ctrl-C.
//
// Thread: split() while the process has one thread. Failure: kUnavailable when it cannot fork.
#pragma once

#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/result.h"
#include "os/descriptor.h"

namespace windrow {

class Background {
 public:
  static Result<Background> split();

  [[nodiscard]] bool is_copy() const { return copy_ == 0; }

  // Of the copy: lets the command end with `word`, and leaves terminal and session.
  void detach(std::string_view word);

  struct Ending {
    std::string word;   // of detach(); empty: the copy has ended before
    int exit_code = 0;  // of a copy that has
  };
  // Of the command: waits for either.
  Ending wait();

 private:
  Background(Descriptor pipe, pid_t copy) : pipe_(std::move(pipe)), copy_(copy) {}

  Descriptor pipe_;
  pid_t copy_;  // 0 in the copy itself
};

}  // namespace windrow
