// SPDX-License-Identifier: Apache-2.0
#include "workspace/prepare/table_program.h"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "core/spec/job_paths.h"
#include "core/spec/values.h"
#include "os/machine.h"
#include "os/run_program.h"

namespace windrow {
namespace {

constexpr Duration kLimit = std::chrono::hours(24 * 30);
constexpr std::uint64_t kAnswerMax = 1U << 20U;

// ".../windrow/worker/__main__.py" -> ".../windrow/tables/__main__.py"
std::string program_beside(const std::string& worker) {
  return join_path(parent_folder(parent_folder(worker)), "tables/__main__.py");
}

}  // namespace

TableProgram::TableProgram(const std::vector<std::string>& worker, JobFolder folder)
    : folder_(std::move(folder)) {
  if (worker.size() == 2) argv_ = {worker[0], program_beside(worker[1])};
}

Result<std::uint64_t> TableProgram::run(std::string_view request) const {
  const std::string file = fmt::format("{}/request.{:x}", folder_.state(), random_number());
  RETURN_IF_ERROR(write_whole_file(file, request));
  std::vector<std::string> argv = argv_;
  argv.push_back(file);
  std::error_code ignored;
  std::filesystem::create_directories(parent_folder(folder_.table_log()), ignored);
  const Result<ProgramEnd> end = run_to_end(argv, kLimit, kAnswerMax, folder_.table_log());
  static_cast<void>(std::remove(file.c_str()));
  if (!end && end.error().code == ErrorCode::kUnavailable) {
    return fail(ErrorCode::kUnavailable,
                "the program that works on tables, {}; run the command again",
                end.error().message);
  }
  if (!end) return std::unexpected(end.error());
  const Result<Json> answer = parse_json(trimmed(end->output));
  const Json* error = answer ? answer->find("error") : nullptr;
  if (error != nullptr && error->get<std::string>() != nullptr) {
    const Json* final = answer->find("final");
    const bool never = final != nullptr && final->get<bool>() != nullptr && *final->get<bool>();
    return fail(
        never ? ErrorCode::kInvalid : ErrorCode::kConflict, "{}", *error->get<std::string>());
  }
  const Json* rows = answer ? answer->find("rows") : nullptr;
  const auto* count = rows == nullptr ? nullptr : rows->get<std::int64_t>();
  if (count == nullptr || *count < 0 || end->status != 0) {
    return fail(
        ErrorCode::kConflict,
        "the program that works on tables ended without a result ({}); what it printed is in "
        "{}",
        ended_by(*end),
        folder_.table_log());
  }
  return static_cast<std::uint64_t>(*count);
}

RowShape row_shape(RowFormat format, const TableProgram& program) {
  if (format != RowFormat::kParquet && format != RowFormat::kArrow) return {};
  return [format, program](File& rows, File& into) -> Status {
    JsonWriter json;
    json.begin_object();
    json.field("do", "join").field("from", rows.open_path()).field("to", into.open_path());
    json.field("format", to_text(format));
    json.end_object();
    const Result<std::uint64_t> made = program.run(json.text());
    return made ? Status() : std::unexpected(made.error());
  };
}

}  // namespace windrow
