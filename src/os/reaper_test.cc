// SPDX-License-Identifier: Apache-2.0
//
// Whatever dies, and however, nothing that a worker has started is left.
#include "os/reaper.h"

#include <algorithm>
#include <csignal>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/process_host_test.h"
#include "os/process_tree.h"

namespace windrow {
namespace {

// The promise is one second; a machine that is busy with other work gets ten times that.
constexpr Duration kGoneWithin = std::chrono::seconds(10);

bool none_alive(const std::vector<pid_t>& pids) { return std::ranges::none_of(pids, is_alive); }

pid_t parent_of(pid_t pid) {
  const std::string stat = read_text(fmt::format("/proc/{}/stat", pid));
  const std::size_t end = stat.rfind(") ");
  return end == std::string::npos ? 0 : std::stoi(stat.substr(end + 4));
}

// Looks until `condition` holds, without a loop; false when that takes longer than `limit`.
bool soon(const std::function<bool()>& condition, Duration limit) {
  const TimePoint deadline = monotonic_now() + limit;
  while (!condition()) {
    if (monotonic_now() > deadline) return false;
    ::sched_yield();
  }
  return true;
}

// A worker with every kind of descendant that likes to outlive it; six processes with itself.
constexpr const char* kFamily = R"(
def note(): open('family', 'a').write('%d\n' % os.getpid())
def stay():
    for number in (signal.SIGTERM, signal.SIGHUP): signal.signal(number, signal.SIG_IGN)
    note()
    while True: signal.pause()
note()
if os.fork() == 0: stay()                       # plain child
child = os.fork()
if child == 0:
    os.setsid()                                 # own session
    if os.fork() == 0: stay()                   # double fork: a daemon
    os._exit(0)
os.waitpid(child, 0)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.setsid()
        stay()
    stay()
if os.fork() == 0:
    os.setpgid(0, 0)
    note()
    os.kill(os.getpid(), signal.SIGSTOP)        # stopped, in a group of its own
)";
constexpr std::size_t kFamilySize = 6;

class ReaperTest : public testing::Test {
 public:
  TemporaryFolder folder;
};

TEST_F(ReaperTest, KillEndsDaemonsSessionsAndStoppedProcessesWithinASecond) {
  Engine engine(folder.path());
  engine.python(1, std::string(kFamily) + kIdle);
  const std::vector<pid_t> family = engine.pids("family", kFamilySize);
  ASSERT_EQ(family.size(), kFamilySize);
  const TimePoint asked = monotonic_now();
  engine.host->kill(1);
  EXPECT_TRUE(engine.exit_of(1).killed_by_us);
  EXPECT_TRUE(none_alive(family));
  EXPECT_LT(monotonic_now() - asked, kGoneWithin);
}

TEST_F(ReaperTest, WorkerThatExitsLeavesNothingBehind) {
  Engine engine(folder.path());
  engine.python(1,
                std::string(kFamily) +
                    "import pathlib\n"
                    "while pathlib.Path('family').read_text().count('\\n') < 6: pass\n"
                    "os._exit(5)");
  const WorkerExit exit = engine.exit_of(1);
  EXPECT_EQ(exit.exit_code, 5);
  EXPECT_FALSE(exit.killed_by_us);
  EXPECT_TRUE(none_alive(engine.pids("family", kFamilySize)));
}

TEST_F(ReaperTest, OrphanThatEndsByItselfIsReapedWhileTheWorkerRuns) {
  Engine engine(folder.path());
  engine.python(1,
                "if os.fork() == 0:\n"
                "    if os.fork() == 0:\n"
                "        open('orphan', 'w').write('%d\\n' % os.getpid()); os._exit(0)\n"
                "    os._exit(0)\n"
                "os.wait()" +
                    std::string(kIdle));
  const pid_t orphan = engine.pids("orphan", 1).at(0);
  EXPECT_TRUE(engine.until([&] { return ::kill(orphan, 0) != 0; }));
}

TEST_F(ReaperTest, ForkBombIsGoneWithinASecond) {
  Engine engine(folder.path());
  engine.python(1, R"(
import resource
def bomb(depth):
    for _ in range(5 if depth < 3 else 0):
        if os.fork() == 0:
            if depth == 1: os.setsid()
            bomb(depth + 1)
    open('bomb', 'a').write('%d\n' % os.getpid())
    while True:
        pid = os.fork()                         # every one keeps replacing its children
        if pid == 0: os._exit(0)
        os.waitpid(pid, 0)
bomb(0))");
  const std::vector<pid_t> family = engine.pids("bomb", 100);
  const TimePoint asked = monotonic_now();
  engine.host->kill(1);
  EXPECT_EQ(engine.exit_of(1).signal, SIGKILL);
  EXPECT_LT(monotonic_now() - asked, kGoneWithin);
  EXPECT_TRUE(none_alive(engine.pids("bomb", 100)));
}

TEST_F(ReaperTest, KilledReaperTakesEverythingWithItAndIsReportedAsSignalNine) {
  Engine engine(folder.path());
  engine.python(1, std::string(kFamily) + kIdle);
  engine.python(2, "send(headed(0))" + std::string(kIdle));
  const std::vector<pid_t> family = engine.pids("family", kFamilySize);
  ASSERT_TRUE(engine.until([&] { return engine.packets[2].size() == 1; }));
  const pid_t reaper = parent_of(family.at(0));
  EXPECT_EQ(read_text(fmt::format("/proc/{}/comm", reaper)), "windrow-reaper\n");
  EXPECT_EQ(parent_of(reaper), engine.zygote.pid());
  ASSERT_EQ(::kill(reaper, SIGKILL), 0);
  const WorkerExit exit = engine.exit_of(1);
  EXPECT_TRUE(exit.started);
  EXPECT_EQ(exit.signal, SIGKILL);
  EXPECT_FALSE(exit.killed_by_us);
  EXPECT_TRUE(none_alive(family));
  EXPECT_FALSE(engine.exits.contains(2));
}

TEST_F(ReaperTest, KilledZygoteIsReportedByTheNextStartAndRunningWorkersGoOn) {
  Engine engine(folder.path());
  engine.python(1, std::string(kFamily) + "\nsend(*receive())" + kIdle);
  const std::vector<pid_t> family = engine.pids("family", kFamilySize);
  EXPECT_EQ(read_text(fmt::format("/proc/{}/comm", engine.zygote.pid())), "windrow-zygote\n");
  ASSERT_EQ(::kill(engine.zygote.pid(), SIGKILL), 0);
  ASSERT_TRUE(engine.until([&] { return !is_alive(engine.zygote.pid()); }));
  engine.python(2, kIdle);
  const WorkerExit refused = engine.exit_of(2);
  EXPECT_FALSE(refused.started);
  EXPECT_EQ(refused.why, "cannot start python3: the process that starts workers has ended");
  ASSERT_TRUE(engine.host->send(1, header_of(0), ""));
  EXPECT_TRUE(engine.until([&] { return engine.packets[1].size() == 1; }));
  engine.host->kill(1);
  EXPECT_TRUE(engine.exit_of(1).killed_by_us);
  EXPECT_TRUE(none_alive(family));
}

TEST_F(ReaperTest, SignalsToTheWholeGroupDoNotReachZygoteOrReaper) {
  Engine engine(folder.path());
  engine.python(1, "open('me', 'w').write('%d\\n' % os.getpid())" + std::string(kIdle));
  const pid_t worker = engine.pids("me", 1).at(0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    ASSERT_EQ(::kill(parent_of(worker), signal), 0);
    ASSERT_EQ(::kill(engine.zygote.pid(), signal), 0);
  }
  EXPECT_NE(::getpgid(engine.zygote.pid()), ::getpgrp());
  engine.python(2, "os._exit(4)");
  EXPECT_EQ(engine.exit_of(2).exit_code, 4);
  EXPECT_TRUE(is_alive(worker));
}

// An engine in a process of its own, with a family running under it.
struct Helper {
  pid_t engine = -1;
  pid_t zygote = -1;
  std::vector<pid_t> family;
};

Helper start_helper(const std::string& folder) {
  Helper helper;
  helper.engine = ::fork();
  if (helper.engine == 0) {
    Engine engine(folder);
    std::ofstream(folder + "/zygote") << engine.zygote.pid() << '\n';
    engine.python(1, std::string(kFamily) + kIdle);
    engine.until([] { return false; }, std::chrono::seconds(60));
    ::_exit(0);
  }
  soon(
      [&] {
        std::ifstream file(folder + "/family");
        helper.family.assign(std::istream_iterator<pid_t>(file), {});
        return helper.family.size() >= kFamilySize;
      },
      std::chrono::seconds(20));
  std::ifstream(folder + "/zygote") >> helper.zygote;
  return helper;
}

TEST_F(ReaperTest, EngineKilledWithNineLeavesNothingWithinASecond) {
  const Helper helper = start_helper(folder.path());
  ASSERT_EQ(helper.family.size(), kFamilySize);
  std::vector<pid_t> everything = helper.family;
  everything.push_back(helper.zygote);
  everything.push_back(parent_of(helper.family.at(0)));
  EXPECT_TRUE(std::ranges::all_of(everything, is_alive));
  ::kill(helper.engine, SIGKILL);
  EXPECT_TRUE(soon([&] { return none_alive(everything); }, kGoneWithin));
  ::waitpid(helper.engine, nullptr, 0);
}

TEST_F(ReaperTest, EngineAndZygoteKilledTogetherLeaveNothing) {
  const Helper helper = start_helper(folder.path());
  ASSERT_EQ(helper.family.size(), kFamilySize);
  ::kill(helper.zygote, SIGKILL);
  ::kill(helper.engine, SIGKILL);
  EXPECT_TRUE(soon([&] { return none_alive(helper.family); }, kGoneWithin));
  ::waitpid(helper.engine, nullptr, 0);
}

TEST_F(ReaperTest, EngineThatDropsItsHostLeavesNothing) {
  std::vector<pid_t> family;
  {
    Engine engine(folder.path());
    engine.python(1, std::string(kFamily) + kIdle);
    family = engine.pids("family", kFamilySize);
  }
  EXPECT_EQ(family.size(), kFamilySize);
  EXPECT_TRUE(none_alive(family));
}

TEST_F(ReaperTest, BothWaysToFindDescendantsAgree) {
  Engine engine(folder.path());
  engine.python(1, std::string(kFamily) + kIdle);
  const std::vector<pid_t> family = engine.pids("family", kFamilySize);
  for (const TreeWalk walk : {TreeWalk::kBest, TreeWalk::kScan}) {
    const std::vector<pid_t> found = descendants_of(engine.zygote.pid(), walk);
    EXPECT_EQ(found.size(), kFamilySize + 1);
    for (const pid_t pid : family) EXPECT_EQ(std::ranges::count(found, pid), 1);
  }
}

TEST_F(ReaperTest, FiftyStartsAndEndsLeakNoDescriptor) {
  Engine engine(folder.path());
  engine.shell(1000, "true");
  engine.exit_of(1000);
  engine.host->forget(1000);
  const std::size_t before = open_descriptors();
  const auto zygote_before = open_descriptors(engine.zygote.pid());
  for (ProcessNumber process = 0; process < 50; ++process) {
    if (process % 10 == 3) {
      engine.start(process, {"no-such-program"});
    } else {
      engine.shell(process, "true");
    }
    engine.host->send(process, header_of(100'000), std::string(100'000, 'x'));
    engine.exit_of(process);
    while (process % 2 == 0 && engine.host->take_back(process)) {
    }
    engine.host->forget(process);
  }
  EXPECT_EQ(open_descriptors(), before);
  EXPECT_TRUE(engine.until([&] { return open_descriptors(engine.zygote.pid()) <= zygote_before; }));
}

}  // namespace
}  // namespace windrow
