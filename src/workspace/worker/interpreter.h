// SPDX-License-Identifier: Apache-2.0
//
// Which Python runs the user's script.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace windrow {

struct Interpreter {
  std::string path;
  std::string origin;  // "--python", "WINDROW_PYTHON", "the active virtual environment", ...
};

// The oldest Python that workers run on.
inline constexpr int kPythonMinorMin = 7;  // of Python 3

// In this order: `asked` (--python or the job file), WINDROW_PYTHON, the active virtual or conda
// environment, python3. kInvalid naming the one that was asked for and cannot be executed, or is
// too old.
Result<Interpreter> find_interpreter(const std::optional<std::string>& asked);

}  // namespace windrow
