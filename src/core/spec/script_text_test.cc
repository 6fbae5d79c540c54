// SPDX-License-Identifier: Apache-2.0
#include "core/spec/script_text.h"

#include <gtest/gtest.h>

namespace windrow {
namespace {

// C951
TEST(ScriptText, ATextThatGivesNoRunIsNoticed) {
  for (const char* text : {
           "",
           "x = 1\n",
           "def runn(mini_batch):\n    return []\n",
           "# def run(mini_batch): no\n",
           "'''\ndef run(mini_batch): no\n'''\n",
           "import subprocess\nsubprocess.run(['ls'])\n",
           "def score(batch):\n    pass\n\nif __name__ == '__main__':\n    run([])\n",
           "text = 'it\\'s run'\n",
       }) {
    EXPECT_TRUE(lacks_run(text)) << text;
  }
}

// C951
TEST(ScriptText, InDoubtNothingIsSaid) {
  for (const char* text : {
           "def run(mini_batch):\n    return []\n",
           "async def run(b): pass\n",
           "if True:\n    def run(b): pass\n",
           "run = print\n",
           "run: object = print\n",
           "from other import run\n",
           "from other import (\n    init,\n    run,\n)\n",
           "from other import score as run\n",
           "from other import *\n",
           "run, init = make()\n",
           "class run:\n    pass\n",
           "globals()['r' + 'un'] = print\n",
           "exec(open('other.py').read())\n",
           "import sys\nsys.modules[__name__] = other\n",
           "def __getattr__(name): return print\n",
           "x = 'not closed\n",
           "'''not closed",
           "x = f\"{d[\"it's\"]}\"\n",
       }) {
    EXPECT_FALSE(lacks_run(text)) << text;
  }
  EXPECT_FALSE(lacks_run(std::string_view("x\0", 2)));
}

}  // namespace
}  // namespace windrow
