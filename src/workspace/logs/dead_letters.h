// SPDX-License-Identifier: Apache-2.0
//
// The lines of failed_items.jsonl, in the order in which their attempts ended.
//
// To find the mark of a row its file is opened, which may take long: that is done on the pool, one
// attempt at a time. Where items have no marks, lines are written at once.
//
// Thread: the loop's. Ownership: the loop outlives it. Failure: none.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/output/report_row.h"
#include "os/loop.h"

namespace windrow {

class DeadLetters {
 public:
  using Write = std::function<void(std::string_view lines)>;

  // `mark` and `row_places`: as ReportRows has them. `mark` is called on the pool.
  DeadLetters(Loop& loop, MarkOfRow mark, std::string row_places, Write write);
  ~DeadLetters();

  void add(const fact::AttemptEnded& ended, const BatchNames& batch, std::uint32_t tries);

  // Lines are still to come.
  [[nodiscard]] bool busy() const { return current_ != nullptr; }

 private:
  struct Letter {
    fact::AttemptEnded ended;
    std::uint32_t items = 0;
    std::string root;
    std::string names;
    std::uint32_t tries = 0;
    std::string lines;  // made on the pool
  };

  void next();
  void written();

  Loop& loop_;
  bool marked_;
  std::shared_ptr<ReportRows> rows_;  // the pool's while busy()
  Write write_;
  std::deque<Letter> waiting_;
  std::shared_ptr<Letter> current_;
  std::shared_ptr<DeadLetters*> self_;
};

}  // namespace windrow
