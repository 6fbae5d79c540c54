// SPDX-License-Identifier: Apache-2.0
#include "workspace/logs/dead_letters.h"

#include <utility>

namespace windrow {
namespace {

bool has_failed_items(const fact::AttemptEnded& ended, std::uint32_t items) {
  if (ended.verdict == Verdict::kFailed) return true;
  return ended.verdict == Verdict::kDone &&
         (!ended.record.reported.empty() || ended.succeeded < items);
}

}  // namespace

DeadLetters::DeadLetters(Loop& loop, MarkOfRow mark, std::string row_places, Write write)
    : loop_(loop),
      marked_(mark != nullptr),
      rows_(std::make_shared<ReportRows>(std::move(mark), std::move(row_places))),
      write_(std::move(write)),
      self_(std::make_shared<DeadLetters*>(this)) {}

DeadLetters::~DeadLetters() { *self_ = nullptr; }

void DeadLetters::add(const fact::AttemptEnded& ended,
                      const BatchNames& batch,
                      std::uint32_t tries) {
  if (!has_failed_items(ended, batch.items)) return;
  if (!marked_) {
    std::string lines;
    rows_->append_failed_items(ended, batch, tries, lines);
    write_(lines);
    return;
  }
  waiting_.push_back(
      {ended, batch.items, std::string(batch.root), std::string(batch.names), tries, ""});
  if (!busy()) next();
}

void DeadLetters::next() {
  current_ = std::make_shared<Letter>(std::move(waiting_.front()));
  waiting_.pop_front();
  loop_.blocking(
      [rows = rows_, letter = current_] {
        const BatchNames names{letter->items, letter->root, letter->names};
        rows->append_failed_items(letter->ended, names, letter->tries, letter->lines);
      },
      [self = self_] {
        if (*self != nullptr) (*self)->written();
      });
}

void DeadLetters::written() {
  write_(current_->lines);
  current_.reset();
  if (!waiting_.empty()) next();
}

}  // namespace windrow
