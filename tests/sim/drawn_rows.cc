// SPDX-License-Identifier: Apache-2.0
//
// What the items of a drawn job are, and with that the size of its mini-batches and its table.
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
  if (means("input_as") == "jsonl") blame_said("partition_keys");
  const bool rows = means("input_as") == "table" || mltable_;
  if (rows && means("bisect_failed") == "true") blame_said("partition_keys");
  size = {};
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
  }
  size.bare = false;
  out.means = size_text(size);
  for (const auto& [key, value] : out_.settings) {
    if (items != "table" && key.starts_with("table.")) note_said(key);
  }
}

}  // namespace windrow::sim
