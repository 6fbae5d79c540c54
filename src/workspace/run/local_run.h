// SPDX-License-Identifier: Apache-2.0
//
// One whole job in this process: master, one agent, their workers, to the end.
//
// Thread: the loop's. Ownership: what it is made with outlives it; the zygote was forked before any
// thread. Failure: an Error before anything ran; afterwards an outcome.
#pragma once

#include <functional>
#include <memory>

#include "base/result.h"
#include "os/epoll_loop.h"
#include "os/file_system.h"
#include "os/zygote.h"
#include "workspace/prepare/prepared_job.h"
#include "workspace/run/run_outcome.h"
#include "workspace/run/run_view.h"

namespace windrow {

class LocalRun {
 public:
  virtual ~LocalRun() = default;

  // Begins the work; `on_finished` of make_local_run() is called at its end.
  virtual Status open() = 0;

  // Ends it early: running mini-batches get time, at the second call none.
  virtual void cancel() = 0;

  // What became of it. Once, at the end.
  virtual RunOutcome outcome() = 0;
};

std::unique_ptr<LocalRun> make_local_run(EpollLoop& loop,
                                         FileSystem& fs,
                                         Zygote& zygote,
                                         PreparedJob& job,
                                         RunView& view,
                                         std::function<void()> on_finished);

}  // namespace windrow
