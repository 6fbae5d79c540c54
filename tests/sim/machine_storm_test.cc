// SPDX-License-Identifier: Apache-2.0
//
// GPUs and the ends of workers in a storm of machines and deaths: GPUs are counted again from what
// was handed out, sentences are searched for what happened.
#include <csignal>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/process_name.h"
#include "core/supervise/gpu_slots.h"
#include "core/supervise/worker_life.h"
#include "drawn_value.h"
#include "storm.h"

namespace windrow::sim {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class GpuStorm {
 public:
  explicit GpuStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    for (int i = 0; i < 10; ++i) judge_choice();
    judge_slots();
  }

 private:
  struct Visible {
    std::string text;
    std::vector<std::string> names;
  };

  static std::vector<std::string> first(std::uint32_t count) {
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < count; ++i) names.push_back(fmt::format("{}", i));
    return names;
  }

  void judge_choice() {
    static const std::vector<Visible> kVisible = {{"", {}},
                                                  {"0", {"0"}},
                                                  {" 2 ,1", {"2", "1"}},
                                                  {"1,1,0", {"1", "0"}},
                                                  {"GPU-a,MIG-b,3", {"GPU-a", "MIG-b", "3"}},
                                                  {"0,-1,2", {"0"}},
                                                  {"no", {}},
                                                  {"1,,2", {"1"}}};
    GpuFacts facts;
    facts.found = random_.between(0, 3);
    const Visible& visible = kVisible[random_.below(kVisible.size())];
    if (random_.per_mille(400)) facts.visible = visible.text;
    if (random_.per_mille(300)) facts.said = random_.between(0, 4);
    std::optional<std::uint32_t> number = facts.said;
    if (random_.per_mille(300)) {
      facts.preset = draw_from(random_, {" 2 ", "1", "many", "1x", ""});
      if (!number && facts.preset == "1") number = 1;
      if (!number && facts.preset == " 2 ") number = 2;
    }
    std::vector<std::string> expected = first(number.value_or(facts.found));
    if (facts.visible && facts.found == 0 && !number) {
      expected.clear();  // a list makes no devices
    } else if (facts.visible) {
      expected = visible.names;
      if (number && *number < expected.size()) expected.resize(*number);
    }
    const GpuSet gpus = choose_gpus(facts);
    EXPECT_EQ(gpus.names, expected);
    EXPECT_EQ(gpus.real, facts.found > 0);
    EXPECT_EQ(has(gpus.source, "CUDA_VISIBLE_DEVICES"), facts.visible.has_value()) << gpus.source;
    const bool taken =
        facts.visible ? number && *number < visible.names.size() : number.has_value();
    EXPECT_EQ(has(gpus.source, "--gpus"), facts.said && taken) << gpus.source;
    judge_count(gpus);
  }

  void judge_count(const GpuSet& gpus) {
    const std::uint32_t cpus = random_.between(1, 4);
    std::optional<std::uint32_t> said;
    if (random_.per_mille(300)) said = random_.between(1, 5);
    const WorkerCount workers = choose_worker_count(said, gpus, cpus);
    EXPECT_EQ(workers.count, said.value_or(gpus.names.empty() ? cpus : 1));
    const std::string counted =
        workers.count == 1 ? "1 worker" : fmt::format("{} workers", workers.count);
    EXPECT_TRUE(workers.reason.starts_with(counted)) << workers.reason;
    EXPECT_EQ(has(workers.reason, "as you set"), said.has_value()) << workers.reason;
    EXPECT_EQ(has(workers.reason, "no GPU"), gpus.names.empty()) << workers.reason;
    EXPECT_TRUE(has(workers.reason, cpus == 1 ? "1 CPU " : fmt::format("{} CPUs ", cpus)));
  }

  // No GPU is ever shared by more than it may be, and none is idle while somebody goes without.
  void judge_slots() {
    GpuRules rules;
    rules.names = first(random_.between(0, 3));
    rules.real = random_.per_mille(500);
    rules.surplus = static_cast<GpuSurplus>(random_.below(3));
    const std::vector<std::pair<double, std::pair<std::size_t, std::size_t>>> shares = {
        {1, {1, 1}}, {2, {2, 1}}, {0.5, {1, 2}}, {0.33, {1, 3}}, {0, {1, 1}}};
    const auto& [each, whole_and_shares] = shares[random_.below(shares.size())];
    const auto [whole, sharing_max] = whole_and_shares;
    rules.per_worker = each;
    GpuSlots slots(rules);
    std::map<ProcessNumber, std::vector<std::string>> held;
    for (ProcessNumber process = 0; process < 30; ++process) {
      if (random_.per_mille(400) && process > 0) {
        const ProcessNumber one = random_.between(0, process - 1);
        slots.release(one);
        held.erase(one);
      }
      std::map<std::string, std::size_t> sharing;
      for (const std::string& name : rules.names) sharing[name] = 0;
      for (const auto& [holder, names] : held) {
        for (const std::string& name : names) ++sharing[name];
      }
      std::size_t free = 0;
      for (const auto& [name, count] : sharing) free += sharing_max - count;
      const GpuGrant grant = slots.take(process);
      slots.check_invariants();
      judge_grant(grant, rules, free >= whole);
      if (grant.kind != GpuGrant::Kind::kSet || grant.devices.empty()) continue;
      std::vector<std::string> names(1);
      for (const char c : grant.devices) {
        if (c == ',') names.emplace_back();
        if (c != ',') names.back().push_back(c);
      }
      EXPECT_EQ(names.size(), whole);
      for (const std::string& name : names) EXPECT_LE(++sharing[name], sharing_max);
      held[process] = std::move(names);
    }
  }

  static void judge_grant(const GpuGrant& grant, const GpuRules& rules, bool free) {
    const std::string said = describe(grant);
    if (rules.names.empty()) {
      EXPECT_EQ(grant, GpuGrant{});
      EXPECT_EQ(said, "");
      return;
    }
    if (free) {
      EXPECT_FALSE(grant.devices.empty());
      EXPECT_TRUE(has(said, "with GPU " + grant.devices)) << said;
      return;
    }
    const bool hide =
        rules.surplus == GpuSurplus::kHide || (rules.surplus == GpuSurplus::kAuto && rules.real);
    EXPECT_EQ(grant.kind, hide ? GpuGrant::Kind::kSet : GpuGrant::Kind::kUnset);
    EXPECT_EQ(grant.devices, "");
    EXPECT_TRUE(has(said, hide ? "is empty" : "is unset")) << said;
  }

  Random random_;
};

class EndStorm {
 public:
  explicit EndStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    for (int i = 0; i < 20; ++i) {
      judge_end();
      judge_memory();
      judge_names();
    }
  }

 private:
  static std::string name_of(int signal) {
    static const std::map<int, std::string> kNames = {{SIGHUP, "SIGHUP"},
                                                      {SIGINT, "SIGINT"},
                                                      {SIGQUIT, "SIGQUIT"},
                                                      {SIGILL, "SIGILL"},
                                                      {SIGTRAP, "SIGTRAP"},
                                                      {SIGABRT, "SIGABRT"},
                                                      {SIGBUS, "SIGBUS"},
                                                      {SIGFPE, "SIGFPE"},
                                                      {SIGKILL, "SIGKILL"},
                                                      {SIGSEGV, "SIGSEGV"},
                                                      {SIGPIPE, "SIGPIPE"},
                                                      {SIGALRM, "SIGALRM"},
                                                      {SIGTERM, "SIGTERM"},
                                                      {SIGXCPU, "SIGXCPU"},
                                                      {SIGXFSZ, "SIGXFSZ"},
                                                      {SIGSYS, "SIGSYS"}};
    const auto found = kNames.find(signal);
    return found == kNames.end() ? fmt::format("signal {}", signal) : found->second;
  }

  void judge_end() {
    WorkerEnd end;
    end.process = random_.between(0, 2000);
    end.started = !random_.per_mille(100);
    if (!end.started) end.why = "no such program";
    if (random_.per_mille(700)) {
      end.signal = random_.per_mille(500) ? static_cast<int>(random_.between(1, 40))
                                          : std::array{6, 9, 11}[random_.below(3)];
    }
    constexpr std::array kCodes = {0, 1, 70, kExitInitFailed};
    end.exit_code = kCodes[random_.below(kCodes.size())];
    if (random_.per_mille(500)) end.memory_peak = std::uint64_t{random_.between(1, 500)} << 20U;
    if (random_.per_mille(600)) end.out_of_memory = random_.per_mille(500);
    end.page.phase = static_cast<WorkerPhase>(random_.below(8));  // one more than there are
    end.stderr_tail = draw_from(random_,
                                {"",
                                 "terminate called after throwing\nmore",
                                 "Fatal Python error: Aborted\n",
                                 "Fatal Python error: out of luck\n",
                                 "a\n  ...\n",
                                 "stack overflow"});
    const std::string said = describe_end(end);
    EXPECT_TRUE(said.starts_with(fmt::format("process{:03} ", end.process))) << said;
    EXPECT_EQ(has(said, "no such program"), !end.started) << said;
    EXPECT_EQ(last_words(end).empty(), end.stderr_tail.empty());
    EXPECT_TRUE(last_words(end).ends_with(end.stderr_tail));
    if (!end.started) return;
    EXPECT_EQ(has(said, "its peak was"), end.memory_peak > 0) << said;
    const bool memory = end.signal == SIGKILL && end.out_of_memory == true;
    EXPECT_EQ(has(said, "killed by the kernel for lack of memory"), memory) << said;
    if (end.signal == 0) {
      EXPECT_TRUE(has(said, fmt::format("exit code {} ", end.exit_code))) << said;
    } else if (!memory) {
      EXPECT_TRUE(has(said, "killed by " + name_of(end.signal) + " ")) << said;
    }
    judge_reason(end, said);
  }

  static void judge_reason(const WorkerEnd& end, const std::string& said) {
    if (end.signal == SIGABRT) {
      EXPECT_EQ(has(said, "terminate called"), has(end.stderr_tail, "terminate called")) << said;
      EXPECT_EQ(has(said, "out of luck"), has(end.stderr_tail, "out of luck")) << said;
    }
    if (end.signal == SIGSEGV) {
      const bool deep = has(end.stderr_tail, "...") || has(end.stderr_tail, "stack overflow");
      EXPECT_EQ(has(said, "nested without end"), deep) << said;
    }
    if (end.signal == SIGKILL) {
      EXPECT_EQ(has(said, "nobody knows"), !end.out_of_memory) << said;
    }
    const bool known = end.page.phase <= WorkerPhase::kShutdown;
    EXPECT_EQ(has(said, "at an unknown point"), !known) << said;
    EXPECT_EQ(has(said, "in run()"), end.page.phase == WorkerPhase::kRun) << said;
    EXPECT_EQ(has(said, "in init()"), end.page.phase == WorkerPhase::kInit) << said;
    EXPECT_EQ(has(said, "in shutdown()"), end.page.phase == WorkerPhase::kShutdown) << said;
  }

  void judge_memory() {
    AttemptRecord record;
    record.error_type = draw_from(random_, {"MemoryError", "ValueError"});
    record.error_message = draw_from(random_, {"", "no more"});
    if (random_.per_mille(500)) record.memory_peak = 5U << 20U;
    const AttemptRecord before = record;
    add_memory_hint(record);
    if (before.error_type == "ValueError") {
      EXPECT_EQ(record, before);
      return;
    }
    const std::string start = before.error_message.empty() ? "out of memory" : "no more";
    EXPECT_TRUE(record.error_message.starts_with(start + "; ")) << record.error_message;
    EXPECT_EQ(has(record.error_message, "5 MB"), before.memory_peak > 0) << record.error_message;
    EXPECT_TRUE(has(record.error_message, "max_rss_per_worker")) << record.error_message;
  }

  void judge_names() {
    const ProcessNumber process = random_.between(0, 3000);
    const std::string name = fmt::format("process{:03}", process);
    EXPECT_EQ(process_name(process), name);
    EXPECT_EQ(process_of_name(name + draw_from(random_, {"", ".stdout.txt"})), process);
    const std::string other = draw_from(
        random_, {"proces001", "processx", "process1x.txt", "process", "process99999999999"});
    EXPECT_FALSE(process_of_name(other)) << other;
  }

  Random random_;
};

TEST(MachineStorm, EveryGpuIsUsedAndNoneByTooMany) { play_storms<GpuStorm>(); }

TEST(MachineStorm, TheEndOfAWorkerIsToldAsItWas) { play_storms<EndStorm>(100); }

}  // namespace
}  // namespace windrow::sim
