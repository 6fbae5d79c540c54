// SPDX-License-Identifier: Apache-2.0
#include "core/supervise/memory_guard.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "core/spec/job_spec.h"

namespace windrow {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Low is less than this share, or on large machines less than so much.
constexpr std::uint64_t kLowShare = 10;
constexpr std::uint64_t kLowMax = 2ULL << 30U;
// In parts of that mark.
constexpr double kVeryLow = 0.5;
constexpr double kFineAgain = 1.5;

// A machine whose memory would be full in two seconds is still noticed in time.
constexpr Duration kSampleAtMark = milliseconds(100);
constexpr Duration kSampleMin = milliseconds(20);
constexpr Duration kSampleMax = milliseconds(500);

constexpr Duration kBetweenEnds = seconds(1);
constexpr Duration kCalmMax = seconds(60);

double slack_of(const MemoryRoom& room) {
  const std::uint64_t mark = std::min(room.total / kLowShare, kLowMax);
  return static_cast<double>(room.available) /
         static_cast<double>(std::max<std::uint64_t>(mark, 1));
}

}  // namespace

void MemoryGuard::sampled(const std::vector<MemoryRoom>& rooms, TimePoint now) {
  slack_ = kSlackMax;
  for (const MemoryRoom& room : rooms) {
    if (slack_of(room) >= slack_) continue;
    slack_ = slack_of(room);
    tightest_ = room;
  }
  low_ = slack_ < (low_ ? kFineAgain : 1);
  if (low_) fine_since_ = now;
  if (allowed_ < slots_ && now - fine_since_ >= calm_) {
    ++allowed_;
    grown_ = true;
    fine_since_ = now;
  }
}

Duration MemoryGuard::sample_again_in() const {
  const auto wanted = std::chrono::duration_cast<Duration>(slack_ * kSampleAtMark);
  return std::clamp(wanted, kSampleMin, kSampleMax);
}

bool MemoryGuard::should_end_one(TimePoint now) const {
  return slack_ < kVeryLow && (ended_at_ == TimePoint::min() || now - ended_at_ >= kBetweenEnds);
}

void MemoryGuard::ended_one(std::uint32_t left, TimePoint now) {
  if (grown_) calm_ = std::min(2 * calm_, kCalmMax);
  grown_ = false;
  allowed_ = std::max(1U, left);
  ended_at_ = fine_since_ = now;
}

std::string MemoryGuard::room_text() const {
  return fmt::format("{} of {} available{}",
                     human_bytes(tightest_.available),
                     human_bytes(tightest_.total),
                     tightest_.of_job ? " by memory_limit" : "");
}

MemoryRoom room_of_job(const std::vector<MemoryRoom>& rooms,
                       std::optional<std::uint64_t> limit,
                       std::uint64_t held) {
  MemoryRoom own{.total = limit.value_or(UINT64_MAX), .of_job = true};
  for (const MemoryRoom& room : rooms) {
    const auto share = static_cast<std::uint64_t>(static_cast<double>(room.total) * kMemoryShare);
    if (!limit) own.total = std::min(own.total, share);
  }
  own.available = own.total - std::min(own.total, held);
  return own;
}

}  // namespace windrow
