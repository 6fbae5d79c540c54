// SPDX-License-Identifier: Apache-2.0
#include "workspace/worker/settings_file.h"

#include <array>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"
#include "core/spec/job_paths.h"
#include "os/machine.h"

namespace windrow {
namespace {

constexpr std::string_view kName = "parallel_run_step.settings.json";
constexpr std::string_view kToCsv = "pandas.DataFrame.to_csv";
constexpr std::uint64_t kSizeMax = 1U << 20;
constexpr std::array<std::string_view, 6> kNotForUsers = {
    "path_or_buf", "mode", "encoding", "compression", "errors", "storage_options"};

class Checker {
 public:
  Checker(std::string path, SettingsFile& file) : path_(std::move(path)), file_(file) {}

  Status check(const Json& root) {
    const auto* top = root.get<Json::Object>();
    if (top == nullptr) return refuse("must be a JSON object");
    for (const auto& [key, value] : *top) {
      if (key != "append_row") {
        unknown(key, "append_row");
      } else {
        RETURN_IF_ERROR(check_append_row(value));
      }
    }
    return {};
  }

 private:
  Status check_append_row(const Json& json) {
    const auto* object = json.get<Json::Object>();
    if (object == nullptr) return refuse("append_row must be a JSON object");
    for (const auto& [key, value] : *object) {
      if (key == kToCsv) {
        const auto* keywords = value.get<Json::Object>();
        if (keywords == nullptr) return refuse(fmt::format("{} must be a JSON object", kToCsv));
        for (const auto& [keyword, unused] : *keywords) check_keyword(keyword);
      } else if (key == "format") {
        const auto* format = value.get<std::string>();
        if (format == nullptr || (*format != "csv" && *format != "jsonl")) {
          return refuse("append_row.format must be \"csv\" or \"jsonl\"");
        }
      } else {
        unknown("append_row." + key, fmt::format("{}, format", kToCsv));
      }
    }
    return {};
  }

  void check_keyword(const std::string& keyword) {
    for (const std::string_view reserved : kNotForUsers) {
      if (keyword != reserved) continue;
      file_.notices.push_back(
          fmt::format("{}: {} is ignored: the engine writes the file", path_, keyword));
    }
  }

  void unknown(const std::string& key, std::string_view known) {
    file_.notices.push_back(
        fmt::format("{}: {} is ignored; known here: {}", path_, in_quotes(key), known));
  }

  [[nodiscard]] std::unexpected<Error> refuse(std::string_view problem) const {
    return fail(ErrorCode::kInvalid, "{}: {}", path_, problem);
  }

  std::string path_;
  SettingsFile& file_;
};

}  // namespace

Result<SettingsFile> read_settings_file(FileSystem& fs, const JobSpec& spec) {
  for (const std::string& folder : {parent_folder(script_path(spec)), spec.code}) {
    const std::string path = join_path(folder, kName);
    if (!fs.stat(path)) continue;
    SettingsFile file;
    ASSIGN_OR_RETURN(file.text, read_whole_file(path, kSizeMax));
    const Result<Json> json = parse_json(file.text);
    if (!json) return fail(ErrorCode::kInvalid, "{}: {}", path, json.error().message);
    RETURN_IF_ERROR(Checker(escape_bytes(path), file).check(*json));
    return file;
  }
  return SettingsFile{};
}

}  // namespace windrow
