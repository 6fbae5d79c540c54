// SPDX-License-Identifier: Apache-2.0
#include "os/shared_page.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace windrow {
namespace {

constexpr std::size_t kPageSize = 64;
constexpr int kReadsMax = 64;
constexpr auto kPhaseMax = static_cast<std::uint32_t>(WorkerPhase::kShutdown);

// As in the format's page; x86-64 and arm64 are little-endian.
struct Layout {
  std::uint64_t sequence;
  std::uint32_t phase;
  std::uint32_t batch;
  std::uint32_t picked;
  std::uint32_t items;  // plus one
  std::int64_t since;
  std::uint64_t sequence_again;
};
static_assert(sizeof(Layout) == 40);

template <class Number>
Number load(const Number& from) {
  return __atomic_load_n(&from, __ATOMIC_ACQUIRE);
}

// The writer goes from the first sequence to the second, the reader the other way: whatever the
// writer had begun to change when the fields were read shows in the first sequence.
std::optional<Layout> consistent_copy(const Layout& page) {
  Layout copy{};
  copy.sequence_again = load(page.sequence_again);
  copy.since = load(page.since);
  copy.items = load(page.items);
  copy.picked = load(page.picked);
  copy.batch = load(page.batch);
  copy.phase = load(page.phase);
  copy.sequence = load(page.sequence);
  if (copy.sequence != copy.sequence_again || copy.sequence == 0) return std::nullopt;
  return copy;
}

}  // namespace

Result<SharedPage> SharedPage::create() {
  Descriptor file(::memfd_create("windrow-page", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file) return fail(ErrorCode::kUnavailable, "cannot create a memfd: {}", reason(errno));
  constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (::ftruncate(file.get(), kPageSize) != 0 || ::fcntl(file.get(), F_ADD_SEALS, kSeals) != 0) {
    return fail(ErrorCode::kUnavailable, "cannot size a memfd: {}", reason(errno));
  }
  const void* mapping = ::mmap(nullptr, kPageSize, PROT_READ, MAP_SHARED, file.get(), 0);
  if (mapping == MAP_FAILED) {
    return fail(ErrorCode::kUnavailable, "cannot map a memfd: {}", reason(errno));
  }
  return SharedPage(std::move(file), mapping);
}

SharedPage::SharedPage(SharedPage&& other) noexcept
    : file_(std::move(other.file_)),
      mapping_(std::exchange(other.mapping_, nullptr)),
      sequence_(other.sequence_),
      last_(other.last_) {}

SharedPage::~SharedPage() {
  if (mapping_ != nullptr) ::munmap(const_cast<void*>(mapping_), kPageSize);
}

const WorkerPage& SharedPage::read(const SteadyClock& clock) {
  const auto& page = *static_cast<const Layout*>(mapping_);
  if (load(page.sequence) == sequence_) return last_;
  for (int i = 0; i < kReadsMax; ++i) {
    const std::optional<Layout> copy = consistent_copy(page);
    if (!copy) continue;
    if (copy->phase == 0 || copy->phase > kPhaseMax) break;
    sequence_ = copy->sequence;
    last_.phase = static_cast<WorkerPhase>(copy->phase);
    last_.batch = copy->batch;
    last_.picked = copy->picked;
    last_.items = copy->items > 0 ? std::optional(copy->items - 1) : std::nullopt;
    // A worker that claims a later beginning than now would never run out of time.
    const TimePoint since = TimePoint(Duration(copy->since));
    last_.since = clock.from_monotonic(std::clamp(since, TimePoint{}, monotonic_now()));
    break;
  }
  return last_;
}

}  // namespace windrow
