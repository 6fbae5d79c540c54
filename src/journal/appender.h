// SPDX-License-Identifier: Apache-2.0
//
// A file that grows at its end and is made durable a group at a time.
//
// What is put into buffer() costs a copy into memory. Some milliseconds after the first grown(), or
// at once after hurry(), everything in it is written and synced on the pool, and `on_synced` says
// how far the file is durable; what was appended meanwhile is the next group. A failed write or
// sync is final: `on_error` comes once, and nothing more is written.
//
// Thread: the loop's. Ownership: owns the File; may go at any time before the loop. Failure: by
// on_error. When it goes, a group on its way is still written; what waits in memory is not.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/plant.h"
#include "base/result.h"
#include "os/file_system.h"
#include "os/loop.h"

namespace windrow {

class Appender {
 public:
  using OnSynced = std::function<void(std::uint64_t up_to)>;
  using OnError = std::function<void(const Error&)>;

  struct Options {
    Duration interval = std::chrono::milliseconds(20);  // how long a group gathers
    bool sync = true;                                   // false: benchmarks of what syncing costs
    Fault skip_sync = Fault::kNone;                     // the planted fault that leaves it out
  };

  // `size`: where the file ends now, all of it durable.
  Appender(Loop& loop,
           std::unique_ptr<File> file,
           std::uint64_t size,
           Options options,
           OnSynced on_synced,
           OnError on_error);
  ~Appender();
  Appender(const Appender&) = delete;
  Appender& operator=(const Appender&) = delete;

  // The memory to append to. Call grown() afterwards.
  [[nodiscard]] std::string& buffer() { return buffer_; }
  void grown();

  // Makes what was appended durable as soon as possible.
  void hurry();

  // Where the next byte goes.
  [[nodiscard]] std::uint64_t end() const { return written_ + in_flight_ + buffer_.size(); }
  [[nodiscard]] std::uint64_t synced() const { return written_; }
  [[nodiscard]] std::uint64_t unsynced() const { return in_flight_ + buffer_.size(); }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] File& file() { return *shared_->file; }

 private:
  // What the pool works on; kept alive by the work itself.
  struct Shared {
    std::unique_ptr<File> file;
    std::string bytes;
    std::uint64_t offset = 0;
    bool sync = true;
    Status status;
  };

  void start_group();
  void group_done();

  Loop& loop_;
  std::shared_ptr<Shared> shared_;
  std::shared_ptr<Appender*> self_;  // cleared by the destructor: late callbacks find nobody
  Options options_;
  OnSynced on_synced_;
  OnError on_error_;
  std::string buffer_;
  std::uint64_t written_;  // durable
  std::uint64_t in_flight_ = 0;
  bool timer_set_ = false;
  bool busy_ = false;
  bool hurried_ = false;
  bool failed_ = false;
};

}  // namespace windrow
