// SPDX-License-Identifier: Apache-2.0
#include "journal/plan_file.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "core/plan/stretch_name.h"

namespace windrow {
namespace {

constexpr std::string_view kMagic = "WRP1";
constexpr std::uint32_t kOneRoot = 1;  // the version that knew one input

}  // namespace

namespace {

// The names of these items.
std::string_view some_names(std::string_view names, const ItemRange& items) {
  const auto skip = [&names](std::size_t from, std::uint32_t count) {
    for (; count > 0; --count) from = std::min(names.find('\0', from), names.size()) + 1;
    return std::min(from, names.size());
  };
  const std::size_t begin = skip(0, items.first);
  const std::size_t end = std::min(skip(begin, items.count - 1), names.size());
  return names.substr(begin, std::min(names.find('\0', end), names.size()) - begin);
}

}  // namespace

std::string plan_path(std::string_view root, std::string_view name) {
  std::string out;
  if (!name.starts_with('/')) out.append(root).push_back('/');
  out.append(name);
  return out;
}

std::string plan_head_bytes(const PlanHead& head) {
  std::string out = file_magic(kMagic, kPlanVersion);
  append_record_with(out, [&](std::string& inner) {
    ByteWriter writer(inner);
    writer.varint(head.roots.size());
    for (const std::string& root : head.roots) writer.text(root);
    writer.text(head.formation);
    writer.fixed(head.listing_began.nanoseconds);
  });
  return out;
}

void append_plan_batch(const PlanBatch& batch, std::uint32_t version, std::string& out) {
  append_record_with(out, [&](std::string& inner) {
    ByteWriter writer(inner);
    writer.varint(batch.id);
    if (version != kOneRoot) writer.varint(batch.input);
    writer.varint(batch.items);
    inner.append(batch.names);
  });
}

Result<PlanReader> PlanReader::open(FileSystem& fs, const std::string& path) {
  ASSIGN_OR_RETURN(std::unique_ptr<File> file, fs.open(path));
  Result<RecordReader> reader = RecordReader::open(*file, kMagic, kPlanVersion, kOneRoot);
  if (!reader) return fail(reader.error().code, "plan {}: {}", path, reader.error().message);
  PlanReader plan(std::move(file), *std::move(reader), path);
  ASSIGN_OR_RETURN(const auto payload, plan.reader_.next());
  if (!payload) return fail(ErrorCode::kInternal, "plan {} has no whole head", path);
  ByteReader bytes(*payload);
  const std::uint64_t roots = plan.version() == kOneRoot ? 1 : bytes.varint();
  for (std::uint64_t i = 0; i < roots && bytes.ok(); ++i) {
    plan.head_.roots.emplace_back(bytes.text());
    plan.roots_.push_back(plan.head_.roots.back() == "/" ? "" : plan.head_.roots.back());
  }
  plan.head_.formation = std::string(bytes.text());
  plan.head_.listing_began.nanoseconds = bytes.fixed<std::int64_t>();
  if (!bytes.done()) return fail(ErrorCode::kInternal, "plan {} has a bad head", path);
  plan.indexed_ = plan.reader_.position();
  return plan;
}

Status PlanReader::index(std::uint64_t up_to) {
  reader_.seek(indexed_);
  while (indexed_ < up_to) {
    ASSIGN_OR_RETURN(const auto payload, reader_.next(up_to));
    if (!payload) {
      return fail(
          ErrorCode::kInternal, "plan {} is damaged at byte {} of {}", path_, indexed_, up_to);
    }
    offsets_.push_back(indexed_);
    indexed_ = reader_.position();
  }
  return {};
}

void PlanReader::note(const std::vector<std::uint64_t>& offsets, std::uint64_t up_to) {
  offsets_.insert(offsets_.end(), offsets.begin(), offsets.end());
  indexed_ = up_to;
}

Result<PlanBatch> PlanReader::read(BatchId id) { return read_at(offsets_[id], id); }

Result<PlanBatch> PlanReader::read_at(std::uint64_t offset, BatchId id) {
  reader_.seek(offset);
  ASSIGN_OR_RETURN(const auto payload, reader_.next());
  PlanBatch batch;
  if (payload) {
    ByteReader bytes(*payload);
    batch.id = bytes.varint32();
    if (version() != kOneRoot) batch.input = bytes.varint32();
    batch.items = bytes.varint32();
    batch.names = bytes.rest();
    if (batch.input < roots_.size()) batch.root = roots_[batch.input];
    const bool has_root = batch.input < roots_.size() || batch.items == 0;
    if (bytes.ok() && batch.id == id && has_root) return batch;
  }
  return fail(ErrorCode::kInternal, "plan {} is damaged at mini-batch {}", path_, id);
}

Result<PlanBatch> PlanReader::read(BatchId id, const ItemRange& piece) {
  ASSIGN_OR_RETURN(PlanBatch batch, read(id));
  // Rows of a stretch have no names of their own: a window of it stands for them. Nor does the plan
  // always know how many there are.
  const bool stretch =
      batch.names.find('\0') == std::string_view::npos && parse_stretch_name(batch.names);
  if (piece.count == 0 || (piece == ItemRange{0, batch.items} && !stretch)) return batch;
  if (stretch) window_ = window_name(batch.names, piece);
  batch.names = stretch ? std::string_view(window_) : some_names(batch.names, piece);
  batch.items = piece.count;
  return batch;
}

}  // namespace windrow
