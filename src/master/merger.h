// SPDX-License-Identifier: Apache-2.0
//
// Puts the committed rows into one file for each output that gets rows, in order of mini-batches,
// while the job runs.
//
// Files that are not plain rows one after the other are made from the rows at the end, by a
// RowShape.
//
// Follows the committed prefix: what is committed (or failed, which has no rows) from the start on
// is copied in steps on the pool. A file has no name until it is complete and published, so a job
// that ends otherwise leaves nothing behind. Always the same bytes, whatever happened on the way.
//
// Thread: the loop's; one step at a time on the pool. Ownership: loop and file system outlive it.
// Failure: by on_error, once; kInvalid when no file can ever be made of these rows.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/schedule/job_state.h"
#include "journal/job_folder.h"
#include "journal/segment.h"
#include "master/publish.h"
#include "os/file_system.h"
#include "os/loop.h"

namespace windrow {

// Makes the file that is published of the one with all rows, in whatever form workers gave them;
// none: it is that very file. Called on the pool.
using RowShape = std::function<Status(File& rows, File& into)>;

struct RowForm {
  RowShape shape;
  // Rows below other names of columns than those at the top of the file are an error; otherwise
  // they are noted.
  bool one_header = false;
};

class Merger {
 public:
  struct Callbacks {
    std::function<void(std::uint64_t bytes)> on_progress;
    // Complete and durable, without a name; in the order of the targets.
    std::function<void(std::vector<fact::Publishing>)> on_merged;
    std::function<void(const Error&)> on_error;
    // Something that the user should know; before on_merged.
    std::function<void(const std::string& text)> on_note;
  };

  // `epoch` is that of the master, so that it knows what dead ones have left beside the target.
  Merger(Loop& loop,
         FileSystem& fs,
         JobFolder folder,
         std::vector<std::string> targets,
         RowForm form,
         Epoch epoch,
         Callbacks callbacks);
  ~Merger();

  // The committed prefix may have grown.
  void follow(const JobState& state);

  // Every mini-batch is final, or is left out on purpose: complete the files.
  void complete(const JobState& state);

  // Gives the complete files their names on the pool, all or none, then calls `done`. `before` is
  // what dead masters of this job have journaled of their files. See publish_together.
  void publish(std::vector<fact::Publishing> before, std::function<void(Status)> done);

  // The same, replacing what is there.
  void replace(std::function<void(Status)> done);

 private:
  struct Rows {  // of one mini-batch, or of a piece of it
    BatchId batch = 0;
    RowRange at;
  };
  struct Outputs;  // what the pool works on

  void collect(const JobState& state, bool all);
  void next_step();
  void step_done();
  using GiveNames = std::function<Status(FileSystem&, const std::vector<MergedFile>&)>;
  void give_names(GiveNames give, std::function<void(Status)> done);

  Loop& loop_;
  std::shared_ptr<Outputs> outputs_;
  Callbacks callbacks_;
  std::vector<std::string> segments_;  // file names by SegmentId
  std::vector<Rows> rows_;             // not yet given to the pool
  BatchId next_ = 0;
  std::uint64_t collected_ = 0;  // bytes of rows_
  bool completing_ = false;
  bool busy_ = false;
  bool failed_ = false;
  std::shared_ptr<Merger*> self_;
};

}  // namespace windrow
