// SPDX-License-Identifier: Apache-2.0
#include "workspace/worker/interpreter.h"

#include <charconv>
#include <string_view>
#include <system_error>

#include "base/text.h"
#include "core/spec/job_paths.h"
#include "os/machine.h"

namespace windrow {
namespace {

struct Version {
  int major = 0;
  int minor = 0;
};

// "3.11", and nothing behind it.
std::optional<Version> read_version(std::string_view text) {
  Version version;
  const char* const end = text.data() + text.size();
  const auto [dot, major] = std::from_chars(text.data(), end, version.major);
  if (major != std::errc() || dot == end || *dot != '.') return std::nullopt;
  const auto [rest, minor] = std::from_chars(dot + 1, end, version.minor);
  return minor == std::errc() && rest == end ? std::optional(version) : std::nullopt;
}

// By the name of the file behind the links (python3.11), which costs nothing. A wrapper does not
// say it, and asking would take as long as Python takes to start.
std::optional<Version> version_of(const std::string& program) {
  constexpr std::string_view kPython = "python";
  const std::string name = base_name(real_path(program).value_or(program));
  return name.starts_with(kPython) ? read_version(name.substr(kPython.size())) : std::nullopt;
}

// One that does not say its version may be right; if not, its workers will speak for it.
Status check_version(const Interpreter& python) {
  const std::optional<Version> version = version_of(python.path);
  if (!version || version->major > 3 ||
      (version->major == 3 && version->minor >= kPythonMinorMin)) {
    return {};
  }
  return fail(ErrorCode::kInvalid,
              "{} (from {}) is Python {}.{}; scripts need Python 3.{} or newer: name one with "
              "--python PATH",
              path_in_quotes(python.path),
              python.origin,
              version->major,
              version->minor,
              kPythonMinorMin);
}

}  // namespace

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
      Interpreter python{*std::move(found), candidate.origin};
      RETURN_IF_ERROR(check_version(python));
      return python;
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
