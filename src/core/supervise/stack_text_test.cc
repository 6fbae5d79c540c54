// SPDX-License-Identifier: Apache-2.0
#include "core/supervise/stack_text.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

// C581
TEST(StackText, StackBecomesATracebackWithTheErrorBelow) {
  EXPECT_EQ(traceback_of("Current thread 0x00007f1c (most recent call first):\n"
                         "  File \"/code/score.py\", line 7 in stuck in a way\n"
                         "  File \"/code/score.py\", line 11 in run\n"
                         "  File \"/home/u/windrow/worker/loop.py\", line 70 in run_batches\n"
                         "  File \"/home/u/windrow/worker/__main__.py\", line 36 in <module>\n",
                         "TimeoutError: run() took longer than 1 s"),
            "Traceback (most recent call last):\n"
            "  File \"/code/score.py\", line 11, in run\n"
            "  File \"/code/score.py\", line 7, in stuck in a way\n"
            "TimeoutError: run() took longer than 1 s\n");
}

// C581
TEST(StackText, ThreadThatCalledTheScriptComesLastWhicheverWasAsked) {
  EXPECT_EQ(traceback_of("said by the script\n"
                         "Thread 0x00007f1b [pool] (most recent call first):\n"
                         "  File \"/code/pool.py\", line 3 in wait\n"
                         "\n"
                         "Thread 0x00007f1c (most recent call first):\n"
                         "  File \"<frozen importlib._bootstrap>\", line 241 in _call\n"
                         "  File \"/code/score.py\", line 2 in <module>\n"
                         "  File \"/home/u/windrow/worker/script.py\", line 70 in load\n"
                         "Current thread 0x00007f1d (most recent call first):\n"
                         "  File \"/code/pool.py\", line 4 in spin\n"
                         "  ...\n"
                         "Thread 0x00007f1e (most recent call first):\n"
                         "  <no Python frame>\n",
                         "E"),
            "Thread 0x00007f1b (most recent call last):\n"
            "  File \"/code/pool.py\", line 3, in wait\n"
            "Thread 0x00007f1d (most recent call last):\n"
            "  ...\n"
            "  File \"/code/pool.py\", line 4, in spin\n"
            "Traceback (most recent call last):\n"
            "  File \"/code/score.py\", line 2, in <module>\n"
            "E\n");
}

TEST(StackText, WhatIsNoStackIsNoTraceback) {
  EXPECT_EQ(traceback_of("", "E"), "");
  EXPECT_EQ(traceback_of("  File \"x.py\", line 1 in f\nwarning: no more disk\n", "E"), "");
  EXPECT_EQ(traceback_of("Thread 0x1 (most recent call first):\n", "E"), "");
  EXPECT_EQ(traceback_of("Thread 0x1", "E"), "");
  EXPECT_EQ(traceback_of("Thread 0x1\n  File \"x.py\", li", "E"),
            "Thread 0x1 (most recent call last):\n  File \"x.py\", li\nE\n");
}

}  // namespace
}  // namespace windrow
