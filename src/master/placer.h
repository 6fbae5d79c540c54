// SPDX-License-Identifier: Apache-2.0
//
// Puts the staged files of committed attempts in their place, one attempt after another.
//
// Thread: the loop's; one attempt at a time on the pool. Ownership: loop and file system outlive
// it. Failure: by on_error, once; what is not in its place then is put there by the next master.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "core/spec/job_paths.h"
#include "journal/job_folder.h"
#include "os/file_system.h"
#include "os/loop.h"

namespace windrow {

class Placer {
 public:
  struct Callbacks {
    std::function<void(std::size_t attempts)> on_placed;
    std::function<void(std::string cause)> on_error;
    // Asked before each group: false ends everything without a word.
    std::function<bool()> may_go_on;
  };

  Placer(Loop& loop,
         FileSystem& fs,
         JobFolder folder,
         std::vector<StagedOutput> outputs,
         bool replace,
         Callbacks callbacks);
  ~Placer();

  // REQUIRES: the journal that commits them is durable.
  void add(const std::vector<Token>& attempts);

 private:
  struct Group;  // what the pool works on

  void next();
  void group_done(const Group& group);

  Loop& loop_;
  FileSystem& fs_;
  JobFolder folder_;
  std::shared_ptr<const std::vector<StagedOutput>> outputs_;
  bool replace_;
  Callbacks callbacks_;
  std::deque<Token> waiting_;
  bool busy_ = false;
  bool failed_ = false;
  std::shared_ptr<Placer*> self_;
};

}  // namespace windrow
