// SPDX-License-Identifier: Apache-2.0
#include "journal/appender.h"

#include <utility>

namespace windrow {

Appender::Appender(Loop& loop,
                   std::unique_ptr<File> file,
                   std::uint64_t size,
                   Options options,
                   OnSynced on_synced,
                   OnError on_error)
    : loop_(loop),
      shared_(std::make_shared<Shared>()),
      self_(std::make_shared<Appender*>(this)),
      options_(options),
      on_synced_(std::move(on_synced)),
      on_error_(std::move(on_error)),
      written_(size) {
  shared_->file = std::move(file);
}

Appender::~Appender() { *self_ = nullptr; }

void Appender::grown() {
  if (failed_ || busy_ || timer_set_ || buffer_.empty()) return;
  if (hurried_) {
    start_group();
    return;
  }
  timer_set_ = true;
  loop_.at(loop_.now() + options_.interval, [self = self_] {
    if (*self == nullptr) return;
    (*self)->timer_set_ = false;
    (*self)->start_group();
  });
}

void Appender::hurry() {
  if (failed_) return;
  hurried_ = true;
  if (!busy_) start_group();
}

void Appender::start_group() {
  if (failed_ || busy_) return;
  hurried_ = false;
  if (buffer_.empty()) return;
  busy_ = true;
  in_flight_ = buffer_.size();
  shared_->bytes.swap(buffer_);
  buffer_.clear();
  shared_->offset = written_;
  shared_->sync =
      options_.sync && !(options_.skip_sync != Fault::kNone && planted(options_.skip_sync));
  loop_.blocking(
      [shared = shared_] {
        shared->status = shared->file->write_at(shared->offset, shared->bytes);
        if (shared->status && shared->sync) shared->status = shared->file->sync();
      },
      [self = self_] {
        if (*self != nullptr) (*self)->group_done();
      });
}

void Appender::group_done() {
  busy_ = false;
  if (!shared_->status) {
    failed_ = true;
    on_error_(shared_->status.error());
    return;
  }
  written_ += std::exchange(in_flight_, 0);
  // The callback may append and hurry.
  const auto self = self_;
  on_synced_(written_);
  if (*self != nullptr) grown();
}

}  // namespace windrow
