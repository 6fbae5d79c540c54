// SPDX-License-Identifier: Apache-2.0
#include "workspace/interpreter.h"

#include "base/text.h"
#include "os/machine.h"

namespace windrow {

Result<Interpreter> find_interpreter(const std::optional<std::string>& asked) {
  struct Candidate {
    std::optional<std::string> program;
    const char* origin;
  };
  const auto inside = [](const char* variable) -> std::optional<std::string> {
    const auto folder = environment_value(variable);
    return folder ? std::optional(*folder + "/bin/python3") : std::nullopt;
  };
  const Candidate candidates[] = {
      {asked, "--python"},
      {environment_value("WINDROW_PYTHON"), "WINDROW_PYTHON"},
      {inside("VIRTUAL_ENV"), "the active virtual environment"},
      {inside("CONDA_PREFIX"), "the active conda environment"},
      {"python3", "PATH"},
  };
  for (const Candidate& candidate : candidates) {
    if (!candidate.program) continue;
    if (auto found = find_program(*candidate.program)) {
      return Interpreter{*std::move(found), candidate.origin};
    }
    return fail(ErrorCode::kInvalid,
                "no Python interpreter at {} (from {}); name one with --python PATH or "
                "WINDROW_PYTHON",
                path_in_quotes(*candidate.program),
                candidate.origin);
  }
  return fail(ErrorCode::kInvalid, "no Python interpreter found; name one with --python PATH");
}

}  // namespace windrow
