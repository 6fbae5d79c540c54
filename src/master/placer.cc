// SPDX-License-Identifier: Apache-2.0
#include "master/placer.h"

#include <algorithm>
#include <utility>

#include "journal/staged_files.h"

namespace windrow {
namespace {

// Enough to be worth the way to the pool and back, few enough that progress shows.
constexpr std::size_t kGroupMax = 256;

}  // namespace

struct Placer::Group {
  std::vector<std::string> folders;
  Status status;
};

Placer::Placer(Loop& loop,
               FileSystem& fs,
               JobFolder folder,
               std::vector<StagedOutput> outputs,
               bool replace,
               Callbacks callbacks)
    : loop_(loop),
      fs_(fs),
      folder_(std::move(folder)),
      outputs_(std::make_shared<const std::vector<StagedOutput>>(std::move(outputs))),
      replace_(replace),
      callbacks_(std::move(callbacks)),
      self_(std::make_shared<Placer*>(this)) {}

Placer::~Placer() { *self_ = nullptr; }

void Placer::add(const std::vector<Token>& attempts) {
  waiting_.insert(waiting_.end(), attempts.begin(), attempts.end());
  if (!busy_) next();
}

void Placer::next() {
  if (failed_ || waiting_.empty() || !callbacks_.may_go_on()) return;
  busy_ = true;
  auto group = std::make_shared<Group>();
  while (!waiting_.empty() && group->folders.size() < kGroupMax) {
    group->folders.push_back(folder_.staged_attempt(waiting_.front()));
    waiting_.pop_front();
  }
  loop_.blocking(
      [group, fs = &fs_, outputs = outputs_, replace = replace_] {
        for (const std::string& folder : group->folders) {
          group->status = place_staged(*fs, folder, *outputs, replace);
          if (!group->status) return;
        }
      },
      [group, self = self_] {
        if (*self != nullptr) (*self)->group_done(*group);
      });
}

void Placer::group_done(const Group& group) {
  busy_ = false;
  if (!group.status) {
    failed_ = true;
    callbacks_.on_error("staged files cannot be put in their place: " +
                        group.status.error().message);
    return;
  }
  const auto self = self_;
  callbacks_.on_placed(group.folders.size());
  if (*self != nullptr && !busy_) next();
}

}  // namespace windrow
