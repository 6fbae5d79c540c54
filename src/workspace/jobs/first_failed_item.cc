// SPDX-License-Identifier: Apache-2.0
#include "workspace/jobs/first_failed_item.h"

#include "core/output/first_failed.h"

namespace windrow {
namespace {

constexpr std::size_t kLineMax = 1U << 20;

}  // namespace

std::string first_failed_item(FileSystem& fs, const JobFolder& folder) {
  const auto file = fs.open(folder.failed_items());
  if (!file) return "";
  std::string text(kLineMax, '\0');
  const Result<std::size_t> got = (*file)->read_at(0, text);
  if (!got) return "";
  text.resize(*got);
  return failed_item_text(std::string_view(text).substr(0, text.find('\n')));
}

}  // namespace windrow
