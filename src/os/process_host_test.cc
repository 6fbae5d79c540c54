// SPDX-License-Identifier: Apache-2.0
#include "os/process_host.h"

#include <csignal>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "os/process_host_test.h"

namespace windrow {
namespace {

class ProcessHostTest : public testing::Test {
 public:
  TemporaryFolder folder;
  Engine engine{folder.path()};
};

std::string payload_of(const std::optional<Packet>& packet) {
  return packet ? packet->payload : "no packet";
}

constexpr const char* kEcho = "\nwhile True: send(*receive())\n";

TEST_F(ProcessHostTest, ExitCodeAndMemoryPeakAreReported) {
  engine.python(1, "x = bytearray(100 << 20); os._exit(7)");
  const WorkerExit exit = engine.exit_of(1);
  EXPECT_TRUE(exit.started);
  EXPECT_EQ(exit.exit_code, 7);
  EXPECT_EQ(exit.signal, 0);
  EXPECT_FALSE(exit.killed_by_us);
  EXPECT_GT(exit.memory_peak, 100U << 20U);
  // It counts what the forking process had, too: here that is a test under a sanitizer.
  EXPECT_LT(exit.memory_peak, 4000ULL << 20U);
}

TEST_F(ProcessHostTest, SignalThatKilledTheWorkerIsReportedAsNotOurs) {
  engine.shell(1, "kill -SEGV $$");
  EXPECT_EQ(engine.exit_of(1).signal, SIGSEGV);
  engine.shell(2, "kill -KILL $$");
  EXPECT_EQ(engine.exit_of(2).signal, SIGKILL);
  EXPECT_FALSE(engine.exits.at(2).killed_by_us);
}

TEST_F(ProcessHostTest, KillIsReportedAsOursAndOnce) {
  engine.python(1, "send(headed(0))" + std::string(kIdle));
  ASSERT_TRUE(engine.until([&] { return engine.packets[1].size() == 1; }));
  engine.host->kill(1);
  engine.host->kill(1);
  const WorkerExit exit = engine.exit_of(1);
  EXPECT_EQ(exit.signal, SIGKILL);
  EXPECT_TRUE(exit.killed_by_us);
  engine.host->kill(1);
}

// C580
TEST_F(ProcessHostTest, WorkerThatIsAskedForItsStackShowsItAndGoesOn) {
  engine.python(
      1, "import faulthandler; faulthandler.register(60); send(headed(0))" + std::string(kEcho));
  ASSERT_TRUE(engine.until([&] { return engine.packets[1].size() == 1; }));
  engine.host->show_stack(1);
  const auto shown = [&] {
    return read_text(folder.path() + "/err.txt").find("recent call first") != std::string::npos;
  };
  EXPECT_TRUE(engine.until(shown));
  ASSERT_TRUE(engine.host->send(1, header_of(0), ""));
  EXPECT_TRUE(engine.until([&] { return engine.packets[1].size() == 2; }));
  engine.host->kill(1);
  EXPECT_EQ(engine.exit_of(1).signal, SIGKILL);
  engine.host->show_stack(1);
}

// C582
TEST_F(ProcessHostTest, WorkerThatDoesNotListenEndsWhenItIsAskedForItsStack) {
  engine.shell(1, "exec sleep 600");
  ASSERT_TRUE(engine.until([&] { return engine.host->pid(1).has_value(); }));
  engine.host->show_stack(1);
  EXPECT_EQ(engine.exit_of(1).signal, kStackSignal);
}

TEST_F(ProcessHostTest, KillRightAfterStartEndsTheWorker) {
  for (ProcessNumber process = 0; process < 10; ++process) {
    engine.python(process, kIdle);
    engine.host->kill(process);
  }
  for (ProcessNumber process = 0; process < 10; ++process) {
    EXPECT_EQ(engine.exit_of(process).signal, SIGKILL);
  }
}

TEST_F(ProcessHostTest, ProgramThatDoesNotExistIsNamed) {
  engine.start(1, {"no-such-python"});
  const WorkerExit exit = engine.exit_of(1);
  EXPECT_FALSE(exit.started);
  EXPECT_EQ(exit.why, "cannot start no-such-python: No such file or directory");
}

TEST_F(ProcessHostTest, FolderAndLogThatDoNotExistAreNamed) {
  WorkerCommand command;
  command.argv = {"/bin/true"};
  command.working_folder = "/no/such/folder";
  command.stdout_path = command.stderr_path = folder.path() + "/log";
  engine.host->start(1, command);
  EXPECT_EQ(engine.exit_of(1).why, "cannot enter /no/such/folder: No such file or directory");
  command.stderr_path = "/no/such/log";
  engine.host->start(2, command);
  EXPECT_FALSE(engine.exits.contains(2));
  EXPECT_EQ(engine.exit_of(2).why,
            "cannot start /bin/true: cannot open /no/such/log: No such file or directory");
}

TEST_F(ProcessHostTest, WorkerInheritsDescriptorsEnvironmentAndFolderAndNothingElse) {
  std::ofstream(folder.path() + "/out.txt") << "before\n";
  engine.shell(1, "echo $WINDROW_TEST; pwd; cat; ls -m /proc/$$/fd; echo bad >&2");
  EXPECT_EQ(engine.exit_of(1).exit_code, 0);
  EXPECT_EQ(read_text(folder.path() + "/out.txt"),
            "before\na value\n" + folder.path() + "\n0, 1, 2, 3, 4, 5\n");
  EXPECT_EQ(read_text(folder.path() + "/err.txt"), "bad\n");
}

TEST_F(ProcessHostTest, WorkerHasDefaultSignalsItsOwnSessionAndGoesFirstWhenMemoryIsShort) {
  engine.shell(1,
               "grep -E '^Sig(Blk|Ign)' /proc/self/status; cut -d' ' -f5,6 /proc/$$/stat;"
               "echo $$; cat /proc/$$/oom_score_adj");
  EXPECT_EQ(engine.exit_of(1).exit_code, 0);
  const std::string out = read_text(folder.path() + "/out.txt");
  const std::string pid = out.substr(out.rfind('\n', out.size() - 6) + 1,
                                     out.size() - 5 - out.rfind('\n', out.size() - 6) - 1);
  EXPECT_EQ(out,
            "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n" + pid + " " + pid + "\n" +
                pid + "\n500\n");
}

TEST_F(ProcessHostTest, PacketsComeBackAsTheyWereSentWhateverTheirSize) {
  engine.python(1, kEcho);
  for (const std::size_t size : {0, 1, 1000, 65'472, 65'473, 5'000'000}) {
    std::string payload(size, 'x');
    for (std::size_t i = 0; i < size; i += 997) payload[i] = static_cast<char>(i % 251);
    ASSERT_TRUE(engine.host->send(1, header_of(size), payload));
    ASSERT_TRUE(engine.until([&] { return !engine.packets[1].empty(); })) << size;
    EXPECT_EQ(engine.packets[1][0].header, header_of(size));
    EXPECT_TRUE(engine.packets[1][0].payload == payload) << size;
    engine.packets[1].clear();
  }
}

TEST_F(ProcessHostTest, UnreadPacketsAreTakenBackInOrderAlsoAfterTheEnd) {
  engine.python(1, "send(*receive())" + std::string(kIdle));
  const std::string large(100'000, 'l');
  ASSERT_TRUE(engine.host->send(1, header_of(1), "1"));
  ASSERT_TRUE(engine.host->send(1, header_of(1), "2"));
  ASSERT_TRUE(engine.host->send(1, header_of(large.size()), large));
  ASSERT_TRUE(engine.host->send(1, header_of(0), ""));
  ASSERT_TRUE(engine.until([&] { return engine.packets[1].size() == 1; }));
  EXPECT_EQ(engine.packets[1][0].payload, "1");
  EXPECT_EQ(payload_of(engine.host->take_back(1)), "2");
  engine.host->kill(1);
  engine.exit_of(1);
  EXPECT_FALSE(engine.host->send(1, header_of(0), ""));
  EXPECT_TRUE(payload_of(engine.host->take_back(1)) == large);
  EXPECT_EQ(engine.host->take_back(1).value_or(Packet{}).header, header_of(0));
  EXPECT_FALSE(engine.host->take_back(1));
  engine.host->forget(1);
  EXPECT_FALSE(engine.host->take_back(1));
}

TEST_F(ProcessHostTest, QueueHoldsSixteenLargePacketsAndThenSaysNo) {
  engine.python(1, kIdle);
  const std::string payload(65'472, 'q');
  int sent = 0;
  while (sent < 1000 && engine.host->send(1, header_of(payload.size()), payload)) ++sent;
  EXPECT_GE(sent, ::geteuid() == 0 ? 16 : 3);
  EXPECT_LT(sent, 1000);
  int back = 0;
  while (engine.host->take_back(1)) ++back;
  EXPECT_EQ(back, sent);
}

TEST_F(ProcessHostTest, LastPacketsComeBeforeTheEnd) {
  engine.python(1, "for i in range(100): send(headed(1), b'%d' % (i % 10))\nos._exit(3)");
  EXPECT_EQ(engine.exit_of(1).exit_code, 3);
  ASSERT_EQ(engine.packets[1].size(), 100U);
  EXPECT_EQ(engine.packets[1][57].payload, "7");
}

TEST_F(ProcessHostTest, PageIsReadAndStaysAfterTheEnd) {
  engine.python(1,
                "send(headed(0)); receive(); show(1, 4, 77, 3, 123456789)\n"
                "send(headed(0)); receive(); page[0:8] = b'torn....'; os._exit(0)");
  ASSERT_TRUE(engine.until([&] { return engine.packets[1].size() == 1; }));
  EXPECT_EQ(engine.host->page(1).phase, WorkerPhase::kStarting);
  ASSERT_TRUE(engine.host->send(1, header_of(0), ""));
  ASSERT_TRUE(engine.until([&] { return engine.packets[1].size() == 2; }));
  EXPECT_EQ(engine.host->page(1).phase, WorkerPhase::kRun);
  ASSERT_TRUE(engine.host->send(1, header_of(0), ""));
  engine.exit_of(1);
  const WorkerPage page = engine.host->page(1);
  EXPECT_EQ(page.phase, WorkerPhase::kRun);
  EXPECT_EQ(page.batch, 77U);
  EXPECT_EQ(page.picked, 3U);
  EXPECT_EQ(page.since, TimePoint(Duration(123456789)));
  engine.host->forget(1);
  EXPECT_EQ(engine.host->page(1).phase, WorkerPhase::kStarting);
}

}  // namespace
}  // namespace windrow
