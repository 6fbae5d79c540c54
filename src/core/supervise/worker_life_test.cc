// SPDX-License-Identifier: Apache-2.0
#include "core/supervise/worker_life.h"

#include <set>

#include <gtest/gtest.h>

namespace windrow {
namespace {

WorkerEnd in_run(int signal, int exit_code = 0, std::string said = "") {
  WorkerEnd end{.process = 3, .exit_code = exit_code, .signal = signal};
  end.memory_peak = 512U << 20U;
  end.page.phase = WorkerPhase::kRun;
  end.stderr_tail = std::move(said);
  return end;
}

// C253
TEST(WorkerLife, KillByTheKernelIsToldApartFromAnyOther) {
  WorkerEnd end = in_run(9);
  EXPECT_NE(describe_end(end).find("nobody knows"), std::string::npos);
  end.out_of_memory = false;
  EXPECT_EQ(describe_end(end),
            "process003 was killed by SIGKILL in run() (by somebody: the kernel has ended nothing "
            "here for lack of memory); its peak was 512 MB of memory");
  end.out_of_memory = true;
  EXPECT_EQ(describe_end(end),
            "process003 was killed by the kernel for lack of memory in run(); its peak was 512 MB "
            "of memory; fewer workers, a smaller mini_batch_size, or max_rss_per_worker for "
            "workers that grow, help");
}

// C255
TEST(WorkerLife, EveryWayToDieHasItsOwnSentence) {
  std::set<std::string> sentences;
  const std::string segmentation = "Fatal Python error: Segmentation fault\n";
  for (const WorkerEnd& end : {
           in_run(11, 0, segmentation),
           in_run(11, 0, segmentation + "  File \"a.py\", line 1 in f\n  ...\n"),
           in_run(6, 0, "Fatal Python error: Aborted\n"),
           in_run(6, 0, "Fatal Python error: out of ideas: gone\n"),
           in_run(6, 0, "terminate called after throwing an instance of 'std::bad_alloc'\n"),
           in_run(0, 0),
           in_run(0, 1),
           in_run(0, 70),
           in_run(15),
       }) {
    EXPECT_NE(describe_end(end).find("in run()"), std::string::npos);
    EXPECT_NE(describe_end(end).find("its peak was 512 MB"), std::string::npos);
    sentences.insert(describe_end(end));
  }
  EXPECT_EQ(sentences.size(), 9U);
}

// C896
TEST(WorkerLife, WorkerThatCannotAnswerIsDescribedInItsOwnWords) {
  const auto why = [](std::string said) { return describe_end(in_run(0, 70, std::move(said))); };
  const std::string words = "printed\nwindrow worker: OSError: no room; the worker ends\nlater\n";
  EXPECT_NE(why(words).find("(it could not talk to its agent: OSError: no room)"),
            std::string::npos);
  const std::string closed = "windrow worker: OSError: [Errno 9] Bad file descriptor\n";
  EXPECT_NE(why(closed).find("descriptor; were descriptors 3 and 4 closed?)"), std::string::npos);
  EXPECT_NE(why("").find("agent: were descriptors 3 and 4 closed?)"), std::string::npos);
}

// C254
TEST(WorkerLife, LackOfMemoryThatPythonNoticesNamesWhatHelps) {
  AttemptRecord record;
  record.error_type = "ValueError";
  add_memory_hint(record);
  EXPECT_EQ(record.error_message, "");
  record.error_type = "MemoryError";
  record.memory_peak = 64U << 20U;
  add_memory_hint(record);
  EXPECT_EQ(record.error_message,
            "out of memory; the worker's peak was 64 MB of memory; fewer workers, a smaller "
            "mini_batch_size, or max_rss_per_worker for workers that grow, help");
}

// C256
TEST(WorkerLife, LastWordsAreTheEndOfItsStderr) {
  EXPECT_EQ(last_words(in_run(11)), "");
  EXPECT_EQ(last_words(in_run(11, 0, "dying\n")),
            "the last lines of process003's stderr:\ndying\n");
}

}  // namespace
}  // namespace windrow
