// SPDX-License-Identifier: Apache-2.0
//
// The 64 bytes in which a worker says what it is doing. Layout: docs/formats/worker-protocol.md
//
// The worker is not trusted: the size of the file is sealed, so that reading cannot fault; a phase
// that does not exist is not believed, nor a beginning later than the first look at it.
//
// Thread: the loop's. Failure: create says why.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "os/clock_steady.h"
#include "os/descriptor.h"
#include "os/worker_host.h"

namespace windrow {

class SharedPage {
 public:
  static Result<SharedPage> create();

  SharedPage(SharedPage&& other) noexcept;
  SharedPage& operator=(SharedPage&& other) = delete;
  ~SharedPage();

  // The file, for the worker to inherit; to be closed once it is handed on.
  [[nodiscard]] int descriptor() const { return file_.get(); }
  void close_descriptor() { file_.reset(); }

  // The last consistent content, its time brought over to `clock`.
  const WorkerPage& read(const SteadyClock& clock);

 private:
  SharedPage(Descriptor file, const void* mapping) : file_(std::move(file)), mapping_(mapping) {}

  Descriptor file_;
  const void* mapping_;
  std::uint64_t sequence_ = 0;  // of last_
  WorkerPage last_;
};

}  // namespace windrow
