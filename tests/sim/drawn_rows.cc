// SPDX-License-Identifier: Apache-2.0
//
// What the items of a drawn job are, and with that the size of its mini-batches and its table.
#include <algorithm>

#include "drawn_job.h"

namespace windrow::sim {
namespace {

constexpr std::uint64_t kTableBytes = 1U << 20U;

}  // namespace

std::string JobDraft::place_of(const std::string& key) const {
  const auto found = places_.find(key);
  return found == places_.end() ? key : found->second;
}

// Keys decide what a mini-batch is, and nothing else does.
void JobDraft::judge_keys(DrawnSize& size) {
  if (said_.contains("mini_batch_size")) {
    means("strict") == "true" ? blame_said("mini_batch_size") : note_said("mini_batch_size");
  }
  const bool said = said_.contains("partition_keys");
  if (means("input_as") == "jsonl" && said) blame_said("partition_keys");
  const bool rows = means("input_as") == "table" || mltable_;
  if (rows && means("bisect_failed") == "true") {
    blame_said(said ? "partition_keys" : "partition_by");
  }
  size = {};
}

// Rows are put together by columns, which then are the keys.
void JobDraft::judge_columns() {
  const auto by = out_.settings.find("partition_by");
  if (by == out_.settings.end() || by->second.items.empty()) return;
  const std::string items = means("input_as").empty() ? "files" : means("input_as");
  if (items != "table" && !(items == "files" && mltable_)) blame_said("partition_by");
  DrawnValue& keys = out_.settings["partition_keys"];
  if (keys.items.empty()) keys.items = by->second.items;
  for (const std::string& key : keys.items) {
    const std::vector<std::string>& columns = by->second.items;
    if (std::ranges::find(columns, key) == columns.end()) blame_said("partition_by");
  }
}

// What is written where the input is read becomes input.
void JobDraft::note_shared_folders() {
  if (!input_data_right_) return;
  for (const OutputSpec& output : out_.spec.outputs) {
    if (!output.path || output.type == OutputType::kFile) continue;
    for (const InputSpec& input : out_.spec.inputs) {
      const bool shared = std::ranges::find(input.paths, *output.path) != input.paths.end();
      if (input.name == "data" && shared) note("outputs." + output.name + ".path");
    }
  }
}

void JobDraft::judge_rows() {
  const std::string items = means("input_as").empty() ? "files" : means("input_as");
  const auto keys = out_.settings.find("partition_keys");
  const auto drawn = out_.settings.find("mini_batch_size");
  const bool said = said_.contains("mini_batch_size");
  const bool right = drawn != out_.settings.end();
  DrawnSize size = right ? drawn->second.size : DrawnSize{.files = 10};
  DrawnValue& out = out_.settings["mini_batch_size"];
  if (keys != out_.settings.end() && !keys->second.items.empty()) {
    judge_keys(size);
    out.means = "";  // not set
    return;
  }
  if (items == "files" && mltable_) {  // its file will say what it is
    out.means = size_text(size);
    if (size.rows + size.bytes == 0 && !size.bare) out.means += " files";
    return;
  }
  const bool counted = said && right;
  if (counted && items == "files" && size.rows > 0) blame_said("mini_batch_size");
  if (counted && items == "table" && size.files > 0 && size.files != INT32_MAX && !size.bare) {
    blame_said("mini_batch_size");
  }
  if (items == "jsonl" && size.rows > 0) size = {.files = size.rows, .bytes = size.bytes};
  if (items == "table") {
    if (size.bytes == 0 && size.bare) size.bytes = size.files;
    if (size.bytes == 0 && size.rows == 0) size.bytes = kTableBytes;
    size.files = 0;
    if (counted && size.bytes > (2ULL << 30U)) note_said("mini_batch_size");
  }
  size.bare = false;
  out.means = size_text(size);
  for (const auto& [key, value] : out_.settings) {
    if (items != "table" && key.starts_with("table.")) note_said(key);
  }
}

}  // namespace windrow::sim
