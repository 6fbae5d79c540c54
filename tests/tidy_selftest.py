#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants a violation of every rule of tidy.py and fails when one is not found, or is found where
there is none. Run beside it: ./dev test tidy
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent))
import tidy
import tidy_source

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"


class Plant(NamedTuple):
    rule: tidy.Rule
    files: dict[str, str]
    expected: list[str]  # path:line of each finding; [] for what the rule must let pass


def body(lines: int) -> str:
    return "  x();\n" * lines


PLANTS = [
    # include_table
    Plant(
        tidy.include_table,
        {"src/core/plan/a.cc": '#include "core/plan/a.h"\n#include "os/loop.h"\n'},
        ["src/core/plan/a.cc:2"],
    ),
    Plant(tidy.include_table, {"src/base/a.h": '#include "core/spec/b.h"\n'}, ["src/base/a.h:1"]),
    Plant(tidy.include_table, {"src/os/a.cc": '#include "os/b.cc"\n'}, ["src/os/a.cc:1"]),
    Plant(tidy.include_table, {"src/novel/a.cc": "\n"}, ["src/novel/a.cc:1"]),
    Plant(tidy.include_table, {"src/master/a.cc": '#include "wire/agent/m.h"\n'}, []),
    Plant(tidy.include_table, {"tests/sim/a.cc": '#include "master/m.h"\n'}, []),
    # one_door
    Plant(tidy.one_door, {"src/os/a.cc": "#include <nlohmann/json.hpp>\n"}, ["src/os/a.cc:1"]),
    Plant(tidy.one_door, {"src/base/json.cc": "#include <nlohmann/json.hpp>\n"}, []),
    Plant(
        tidy.one_door,
        {"src/core/spec/a.cc": "#include <yaml-cpp/yaml.h>\n"},
        ["src/core/spec/a.cc:1"],
    ),
    Plant(tidy.one_door, {"src/core/spec/yaml.cc": "#include <yaml-cpp/yaml.h>\n"}, []),
    Plant(tidy.one_door, {"src/master/a.cc": "#include <CLI/CLI.hpp>\n"}, ["src/master/a.cc:1"]),
    Plant(tidy.one_door, {"src/cli/a.cc": "#include <CLI/CLI.hpp>\n"}, []),
    Plant(
        tidy.one_door,
        {"src/agent/a.cc": "#include <sys/socket.h>\n#include <unistd.h>\n"},
        ["src/agent/a.cc:1", "src/agent/a.cc:2"],
    ),
    Plant(tidy.one_door, {"src/os/a.cc": "#include <sys/socket.h>\n#include <poll.h>\n"}, []),
    Plant(tidy.one_door, {"src/core/plan/a.h": "#include <mutex>\n"}, ["src/core/plan/a.h:1"]),
    Plant(tidy.one_door, {"src/os/a.h": "#include <boost/asio.hpp>\n"}, ["src/os/a.h:1"]),
    Plant(tidy.one_door, {"src/os/a.h": "#include <gtest/gtest.h>\n"}, ["src/os/a.h:1"]),
    Plant(tidy.one_door, {"src/os/a_test.cc": "#include <gtest/gtest.h>\n"}, []),
    Plant(tidy.one_door, {"src/core/plan/a.h": "#include <fmt/format.h>\n#include <map>\n"}, []),
    # file_length
    Plant(tidy.file_length, {"src/os/a.cc": "\n" * 401}, ["src/os/a.cc:401"]),
    Plant(tidy.file_length, {"src/os/a_test.cc": "\n" * 401, "src/os/a.cc": "\n" * 400}, []),
    Plant(tidy.file_length, {"tests/e2e/test_a.py": "\n" * 601}, ["tests/e2e/test_a.py:601"]),
    Plant(tidy.file_length, {"src/bin/windrow.cc": "\n" * 101}, ["src/bin/windrow.cc:101"]),
    Plant(tidy.file_length, {"docs/a.md": "\n" * 2000}, []),
    # line_length
    Plant(tidy.line_length, {"src/os/a.cc": "\n" + "x" * 101}, ["src/os/a.cc:2"]),
    Plant(tidy.line_length, {"dev": "x" * 101, "docs/a.md": "x" * 101}, ["dev:1"]),
    Plant(tidy.line_length, {"src/os/a.cc": "µ" * 100}, []),
    # function_length
    Plant(
        tidy.function_length, {"src/os/a.cc": f"\nvoid f() {{\n{body(69)}}}\n"}, ["src/os/a.cc:2"]
    ),
    Plant(tidy.function_length, {"src/os/a.cc": f"void f() {{\n{body(68)}}}\n"}, []),
    Plant(
        tidy.function_length,
        {
            "src/os/a.cc": f"namespace windrow {{\nclass A : public B {{\n"
            f"  A() : a_{{1}}, b_(2) {{\n{body(70)}}}\n}};\n}}\n"
        },
        ["src/os/a.cc:3"],
    ),
    Plant(
        tidy.function_length,
        {
            "src/os/a.cc": "namespace windrow {\nstruct A {\n"
            + "  int f() { return 1; }\n" * 90
            + "};}"
        },
        [],
    ),
    Plant(
        tidy.function_length,
        {"src/os/a.cc": "const char* k[] = {\n" + '  "{",\n' * 90 + "};\n"},
        [],
    ),
    Plant(tidy.function_length, {"a.py": "def f():\n" + "    x()\n" * 70}, ["a.py:1"]),
    Plant(tidy.function_length, {"a.py": "def f():\n" + "    x()\n" * 69}, []),
    # file_names
    Plant(tidy.file_names, {"src/base/string_utils.h": ""}, ["src/base/string_utils.h:1"]),
    Plant(tidy.file_names, {"tests/helpers/a.py": ""}, ["tests/helpers/a.py:1"]),
    Plant(tidy.file_names, {"src/base/text.h": "// utils\n"}, []),
    # licence
    Plant(tidy.licence, {"src/os/a.cc": "\n" + SPDX}, ["src/os/a.cc:1"]),
    Plant(tidy.licence, {"src/os/a.cc": SPDX, "docs/a.md": "", "x.json": "{}"}, []),
    Plant(tidy.licence, {"x.py": "#!/usr/bin/env python3\n#" + SPDX[2:]}, []),
    Plant(tidy.licence, {"bench/__init__.py": ""}, ["bench/__init__.py:1"]),
    # clock
    Plant(tidy.clock, {"src/core/a.cc": "auto t = steady_clock::now();\n"}, ["src/core/a.cc:1"]),
    Plant(tidy.clock, {"src/agent/a.cc": "\nclock_gettime(0, &t);\n"}, ["src/agent/a.cc:2"]),
    Plant(tidy.clock, {"src/os/a.cc": "steady_clock::now();", "src/agent/b.cc": "loop.now();"}, []),
    Plant(tidy.clock, {"src/agent/a.cc": "// never steady_clock::now()\n"}, []),
    # sleep
    Plant(
        tidy.sleep, {"src/os/a_test.cc": "std::this_thread::sleep_for(1s);"}, ["src/os/a_test.cc:1"]
    ),
    Plant(tidy.sleep, {"src/os/a.cc": "usleep(1);", "src/os/a_test.cc": '"sleep(1)"; '}, []),
    # throw
    Plant(tidy.throw, {"src/os/a.cc": "\n\nthrow Oops();\n"}, ["src/os/a.cc:3"]),
    Plant(tidy.throw, {"src/os/a.cc": '// throw\nauto a = "throw";\nauto b = R"(throw)";\n'}, []),
    # links
    Plant(tidy.links, {"docs/a.md": "[x](b.md)\n"}, ["docs/a.md:1"]),
    Plant(tidy.links, {"docs/a.md": "[x](#no)\n# Yes\n"}, ["docs/a.md:1"]),
    Plant(
        tidy.links,
        {
            "docs/a.md": "[x](../b.md#two-words) [y](https://a.b) `[z](c.md)`\n",
            "b.md": "## Two words",
        },
        [],
    ),
    # unfinished
    Plant(tidy.unfinished, {"src/os/a.cc": "// TODO: more\n"}, ["src/os/a.cc:1"]),
    Plant(tidy.unfinished, {"src/os/a.cc": "// TODO(#12): more\n"}, []),
    # machine_paths
    Plant(tidy.machine_paths, {"README.md": "\nsee ../shared/x\n"}, ["README.md:2"]),
    Plant(tidy.machine_paths, {"a.py": 'open("/root/x")'}, ["a.py:1"]),
    Plant(tidy.machine_paths, {"a.py": 'open("in/work/x")'}, []),
    # contract
    Plant(
        tidy.contract,
        {"docs/contract.md": "- **C1.** a\n| C2 | b |\n", "src/os/a_test.cc": "// C1\n"},
        ["docs/contract.md:2"],
    ),
    Plant(
        tidy.contract,
        {"docs/contract.md": "- **C1.** a\n", "tests/e2e/test_a.py": '"""C1"""\n# C3\n'},
        ["tests/e2e/test_a.py:2"],
    ),
    Plant(
        tidy.contract,
        {"docs/contract.md": "- **C1.** a\n- **C1.** b\n", "src/os/a_test.cc": "// C1\n"},
        ["docs/contract.md:2"],
    ),
    Plant(
        tidy.contract,
        {"docs/contract.md": "- **C1.** a\n", "src/os/a_test.cc": 'f("C1");\n'},
        ["docs/contract.md:1"],
    ),
    Plant(
        tidy.contract,
        {"docs/contract.md": "- **C1.** a\n", "src/os/a.cc": "// C1 C9\n"},
        ["docs/contract.md:1"],
    ),
    # citations
    Plant(
        tidy.citations,
        {
            "docs/contract.md": "- **C1.** a\n",
            "docs/a.md": "C1\nC2\ntests/test_a.py::test_b\ntests/test_a.py::test_c\n",
            "tests/test_a.py": "def test_b() -> None: ...\n",
        },
        ["docs/a.md:2", "docs/a.md:4"],
    ),
    Plant(
        tidy.citations,
        {
            "docs/a.md": "src/os/a_test.cc::A.B\nsrc/os/a_test.cc::A.C\nsrc/os/b_test.cc::A.B\n",
            "src/os/a_test.cc": "TEST_F(A, B) {\n",
        },
        ["docs/a.md:2", "docs/a.md:3"],
    ),
    # worker_imports
    Plant(
        tidy.worker_imports,
        {"python/src/windrow/worker/a.py": "import os\nimport numpy\n"},
        ["python/src/windrow/worker/a.py:2"],
    ),
    Plant(
        tidy.worker_imports,
        {"python/src/windrow/worker/a.py": "from windrow.worker import b\nfrom . import c\n"},
        [],
    ),
    # headers_alone
    Plant(
        tidy.headers_alone,
        {"src/base/a.h": "inline int f() { return 1; }\n", "src/base/b.h": "std::string g();\n"},
        ["src/base/b.h:1"],
    ),
]


def misses(plant: Plant, root: Path) -> str:
    """What the rule did wrong with the plant; "" when nothing."""
    for path, text in plant.files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    found = [f"{path}:{line}" for path, line, _ in plant.rule(tidy_source.Tree(plant.files, root))]
    if sorted(found) == plant.expected:
        return ""
    return f"{plant.rule.__name__} on {plant.files!r:.200}: found {found}, not {plant.expected}"


def main() -> int:
    wrong = []
    for rule in tidy.RULES:
        if not any(plant.rule is rule and plant.expected for plant in PLANTS):
            wrong.append(f"{rule.__name__} has no planted violation")
    for plant in PLANTS:
        with tempfile.TemporaryDirectory() as folder:
            wrong += filter(None, [misses(plant, Path(folder))])
    print("\n".join([*wrong, f"tidy_selftest: {len(PLANTS)} plants, {len(wrong)} wrong"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
