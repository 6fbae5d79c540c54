// SPDX-License-Identifier: Apache-2.0
#include "workspace/prepare/mltable_input.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/text.h"
#include "core/spec/job_file.h"
#include "core/spec/job_paths.h"
#include "core/spec/values.h"
#include "os/machine.h"

namespace windrow {
namespace {

constexpr std::uint64_t kMlTableMax = 1U << 20U;

}  // namespace

Result<MlTable> read_mltable_of(const InputSpec& input) {
  const std::string path = join_path(input.paths.front(), "MLTable");
  const Result<std::string> text = read_whole_file(path, kMlTableMax);
  if (!text) {
    return fail(ErrorCode::kInvalid,
                "the input {} has type mltable, and there is no file {}; other folders have type "
                "uri_folder",
                input.name,
                path_in_quotes(path));
  }
  auto read = read_mltable(path, *text);
  if (!read) return fail(ErrorCode::kInvalid, "{}", problems_text(read.error()));
  return *std::move(read);
}

InputSpec files_of(const MlTable& table, const InputSpec& input) {
  InputSpec out{.name = input.name, .type = InputType::kFolder, .ignore = input.ignore};
  out.paths.clear();
  for (const MlTable::Path& path : table.paths) {
    out.paths.push_back(join_path(input.paths.front(), path.path));
  }
  out.ignore.emplace_back("MLTable");
  out.partition_format =
      input.partition_format.empty() ? table.partition_format : input.partition_format;
  return out;
}

Status check_side_table(const JobSpec& spec, const InputSpec& input) {
  const bool cut = std::ranges::find(spec.input_data, input.name) != spec.input_data.end();
  const std::string path = join_path(input.paths.front(), "MLTable");
  if (cut || input.type != InputType::kMlTable || input.as_files) return {};
  if (!read_whole_file(path, kMlTableMax)) return {};  // whoever looks for it says so
  ASSIGN_OR_RETURN(const MlTable table, read_mltable_of(input));
  if (!table.table) return {};
  return fail(ErrorCode::kInvalid,
              "the input {} is not in input_data, and {} makes rows of its files; give it type "
              "uri_folder, and read it in the script, as mltable.load does",
              input.name,
              path_in_quotes(path));
}

}  // namespace windrow
