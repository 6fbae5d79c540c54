// SPDX-License-Identifier: Apache-2.0
#include "core/supervise/gpu_slots.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "core/supervise/supervisor.h"

namespace windrow {
namespace {

using Names = std::vector<std::string>;

GpuRules rules(std::uint32_t gpus, double per_worker = 1) {
  GpuRules out{.per_worker = per_worker};
  for (std::uint32_t i = 0; i < gpus; ++i) out.names.push_back(std::to_string(i));
  return out;
}

std::string text(const GpuGrant& grant) {
  if (grant.kind == GpuGrant::Kind::kUntouched) return "untouched";
  return grant.kind == GpuGrant::Kind::kUnset ? "unset" : grant.devices;
}

std::string take(GpuSlots& slots, ProcessNumber process) {
  std::string out = text(slots.take(process));
  slots.check_invariants();
  return out;
}

// C330
TEST(ChooseGpus, WhatIsVisibleCountsBeforeWhatWasSaidOrFound) {
  EXPECT_EQ(choose_gpus({.found = 3}).names, (Names{"0", "1", "2"}));
  EXPECT_EQ(choose_gpus({.preset = "2", .found = 3}).names, (Names{"0", "1"}));
  EXPECT_EQ(choose_gpus({.said = 4, .preset = "2", .found = 3}).names, (Names{"0", "1", "2", "3"}));
  EXPECT_EQ(choose_gpus({.visible = "5,7", .found = 8}).names, (Names{"5", "7"}));
  EXPECT_EQ(choose_gpus({.visible = "5,7", .said = 1, .found = 8}).names, Names{"5"});
  EXPECT_EQ(choose_gpus({.visible = "5,7", .preset = "8"}).names, (Names{"5", "7"}));
  EXPECT_EQ(choose_gpus({.said = 0, .found = 8}).names, Names{});
  EXPECT_EQ(choose_gpus({.preset = "many", .found = 1}).names, Names{"0"});
  EXPECT_EQ(choose_gpus({}).names, Names{});
}

// C330
TEST(ChooseGpus, AListIsReadAsCudaReadsIt) {
  EXPECT_EQ(
      choose_gpus({.visible = " GPU-8932f937-d72c , MIG-GPU-1/2/0,MIG-6a ", .found = 3}).names,
      (Names{"GPU-8932f937-d72c", "MIG-GPU-1/2/0", "MIG-6a"}));
  EXPECT_EQ(choose_gpus({.visible = "2,-1,3", .found = 4}).names, Names{"2"});
  EXPECT_EQ(choose_gpus({.visible = "", .found = 4}).names, Names{});
  EXPECT_EQ(choose_gpus({.visible = "NoDevFiles", .found = 4}).names, Names{});
  EXPECT_EQ(choose_gpus({.visible = "1,1,0", .found = 2}).names, (Names{"1", "0"}));
}

// C925
TEST(ChooseGpus, AListWithoutAnyDeviceMakesNoGpuMachine) {
  EXPECT_EQ(choose_gpus({.visible = "0,1"}).names, Names{});
  EXPECT_EQ(choose_gpus({.visible = "0,1", .said = 2}).names, (Names{"0", "1"}));
  EXPECT_EQ(choose_worker_count({}, choose_gpus({.visible = "0"}), 8).count, 8U);
}

// C336
TEST(ChooseWorkerCount, GpuNodeHasOneWorkerAndCpuNodeOnePerCpu) {
  const GpuSet none;
  const GpuSet two = choose_gpus({.found = 2});
  EXPECT_EQ(choose_worker_count({}, two, 8).count, 1U);
  EXPECT_EQ(choose_worker_count({}, two, 8).reason,
            "1 worker: this machine has 2 GPUs (found), 8 CPUs that may be used; "
            "--workers 2 gives each GPU one");
  EXPECT_EQ(choose_worker_count({}, none, 8).count, 8U);
  EXPECT_EQ(choose_worker_count({}, none, 8).reason,
            "8 workers: one for each of 8 CPUs that may be used, no GPU");
  EXPECT_EQ(choose_worker_count(3, two, 8).count, 3U);
  EXPECT_EQ(choose_worker_count(3, none, 8).count, 3U);
}

// C331 C332
TEST(GpuSlots, AReleasedGpuGoesToTheNextThatStarts) {
  GpuSlots slots(rules(2));
  EXPECT_EQ(take(slots, 0), "0");
  EXPECT_EQ(take(slots, 1), "1");
  EXPECT_EQ(take(slots, 2), "unset");
  EXPECT_EQ(take(slots, 3), "unset");
  slots.release(2);
  EXPECT_EQ(take(slots, 4), "unset");
  slots.release(1);
  slots.release(0);
  slots.release(0);
  EXPECT_EQ(take(slots, 5), "0");
  EXPECT_EQ(take(slots, 6), "1");
}

// C335
TEST(GpuSlots, AWorkerMayHaveAPartOfAGpuOrSeveral) {
  GpuSlots halves(rules(2, 0.5));
  Names got;
  for (ProcessNumber process = 0; process < 5; ++process) got.push_back(take(halves, process));
  EXPECT_EQ(got, (Names{"0", "1", "0", "1", "unset"}));
  halves.release(2);
  EXPECT_EQ(take(halves, 5), "0");

  GpuSlots pairs(rules(5, 2));
  EXPECT_EQ(take(pairs, 0), "0,1");
  EXPECT_EQ(take(pairs, 1), "2,3");
  EXPECT_EQ(take(pairs, 2), "unset");  // one is left, and that is not two
  pairs.release(0);
  EXPECT_EQ(take(pairs, 3), "0,1");

  GpuSlots thirds(rules(1, 0.33));
  got.clear();
  for (ProcessNumber process = 0; process < 4; ++process) got.push_back(take(thirds, process));
  EXPECT_EQ(got, (Names{"0", "0", "0", "unset"}));
}

// C333
TEST(GpuSlots, SurplusWorkersSeeNoRealGpu) {
  const auto second = [](bool real, GpuSurplus surplus) {
    GpuRules one = rules(1);
    one.real = real;
    one.surplus = surplus;
    GpuSlots slots(one);
    take(slots, 0);
    return take(slots, 1);
  };
  EXPECT_EQ(second(true, GpuSurplus::kAuto), "");
  EXPECT_EQ(second(false, GpuSurplus::kAuto), "unset");
  EXPECT_EQ(second(true, GpuSurplus::kUnset), "unset");
  EXPECT_EQ(second(false, GpuSurplus::kHide), "");
}

// C334
TEST(GpuSlots, WithoutGpusNothingIsTouched) {
  GpuSlots slots(GpuRules{.real = true, .surplus = GpuSurplus::kHide});
  EXPECT_EQ(take(slots, 0), "untouched");
  EXPECT_EQ(describe(GpuGrant{}), "");
}

// C331 C332
TEST(Supervisor, TheNextStartedWorkerGetsTheGpuOfOneThatEnded) {
  SuperviseLimits limits;
  limits.slots = 4;
  limits.gpus = rules(2);
  Supervisor supervisor(limits);
  const auto now = TimePoint(std::chrono::seconds(1000));
  Orders out;
  const auto started = [&out] {
    Names names;
    for (const Order& order : out) {
      const auto* start = std::get_if<order::StartWorker>(&order);
      if (start != nullptr)
        names.push_back(fmt::format("p{}:{}", start->process, text(start->gpus)));
    }
    out.clear();
    return fmt::format("{}", fmt::join(names, " "));
  };
  const auto ends = [&](ProcessNumber process, int signal) {
    supervisor.exited(WorkerEnd{.process = process, .signal = signal}, {}, now, {}, out);
    supervisor.check_invariants();
    return started();
  };
  supervisor.begin(now, out);
  EXPECT_EQ(started(), "p0:0 p1:1 p2:unset p3:unset");
  for (ProcessNumber process = 0; process < 4; ++process) supervisor.ready(process, {}, now, out);
  EXPECT_EQ(ends(0, 9), "p4:0");
  EXPECT_EQ(ends(2, 9), "p5:unset");
  EXPECT_EQ(ends(4, 11), "p6:0");  // before it was ready
  EXPECT_EQ(ends(1, 0), "p7:1");   // by itself
}

}  // namespace
}  // namespace windrow
