// SPDX-License-Identifier: Apache-2.0
//
// Inputs of type sql.
#include <algorithm>

#include "base/text.h"
#include "core/spec/job_paths.h"
#include "core/spec/job_sections.h"

namespace windrow {
namespace {

// Job files are kept, sent and shown.
Status refuse_password(std::string_view connection) {
  const std::size_t scheme = connection.find("://");
  bool has = lower_case(connection).find("password") != std::string::npos;
  if (scheme != std::string_view::npos) {
    const std::string_view rest = connection.substr(scheme + 3);
    const std::string_view host = rest.substr(0, std::min(rest.find('/'), rest.size()));
    const std::size_t user = host.rfind('@');
    has = has || (user != std::string_view::npos && host.substr(0, user).contains(':'));
  }
  if (!has) return {};
  return fail(ErrorCode::kInvalid,
              "has a password in it, which does not belong in a job file: leave it out here and "
              "put it into ~/.pgpass, or into the file that PGPASSFILE names");
}

// A file of a database that stands beside the job file is found there.
Result<std::string> connection_from(std::string_view folder, std::string_view said) {
  constexpr std::string_view kSqlite = "sqlite:///";
  if (trimmed(said).empty()) {
    return fail(ErrorCode::kInvalid,
                "is empty; as in sqlite:///FILE or postgresql://USER@HOST/DATABASE");
  }
  if (said.starts_with(kSqlite)) {
    return std::string(kSqlite) + join_path(folder, said.substr(kSqlite.size()));
  }
  for (const std::string_view ending : {".db", ".sqlite", ".sqlite3"}) {
    if (said.ends_with(ending) && said.find("://") == std::string_view::npos) {
      return std::string(kSqlite) + join_path(folder, said);
    }
  }
  RETURN_IF_ERROR(refuse_password(said));
  return std::string(said);
}

}  // namespace

void read_query(JobTree& tree, const Place& place, const std::string& name) {
  refuse_keys(tree,
              place,
              "sql",
              {"path", "mode", "ignore", "input_ignore", "partition_format", "default"});
  for (const std::string_view key : {"connection", "query"}) {
    if (place.node->find(key) == nullptr) tree.reader.missing(place, key);
  }
  const auto connection = tree.reader.value_at(place, "connection", [&tree](std::string_view said) {
    return connection_from(tree.folder, said);
  });
  const auto query =
      tree.reader.value_at(place, "query", [](std::string_view said) -> Result<std::string> {
        if (trimmed(said).empty())
          return fail(ErrorCode::kInvalid, "is empty; a SELECT is expected");
        return std::string(said);
      });
  // Also with a problem, so that no missing input is reported in addition.
  tree.spec.inputs.push_back({.name = name,
                              .type = InputType::kSql,
                              .paths = {connection.value_or("")},
                              .query = query.value_or("")});
}

}  // namespace windrow
