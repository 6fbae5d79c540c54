// SPDX-License-Identifier: Apache-2.0
#include "master/planner.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "base/plant.h"
#include "master/plan_check.h"

namespace windrow {
namespace {

// The first page is small, so that work begins at once; later ones are cheaper when larger.
constexpr std::size_t kFirstPage = 500;
constexpr std::size_t kPageMax = 64000;

std::vector<ItemRun> runs_of(const std::vector<std::uint32_t>& items) {
  std::vector<ItemRun> runs;
  for (const std::uint32_t count : items) {
    if (runs.empty() || runs.back().items != count) runs.push_back({0, count});
    ++runs.back().batches;
  }
  return runs;
}

}  // namespace

// Lives on the pool while a page is made, on the loop in between.
struct Planner::Listing {
  FileSystem& fs;
  PlannerConfig config;
  InputCutter cutter;
  std::unique_ptr<File> file;      // null: the plan is complete
  std::uint64_t written = 0;       // length of the plan
  std::optional<PlanCheck> check;  // what the listing is compared with
  std::uint32_t version = kPlanVersion;
  std::size_t page = kFirstPage;
  BatchId next_id = 0;
  bool compared = false;      // roots and formation, with those of the old plan
  std::vector<Cut> unsorted;  // where the plan is written in one piece: all so far

  PlannedPage result;
  AcceptedInput accepted;
  bool newer = false;  // the error is that files are newer than the plan
  bool ended = false;
  Status status;

  Listing(FileSystem& file_system, PlannerConfig settings)
      : fs(file_system), config(std::move(settings)), cutter(fs, config.rules) {}

  [[nodiscard]] std::vector<std::string> roots() const;
  Status create();
  Status take_old();
  Status copy_old();
  void make_page();
  Status try_page();
  Status end_all(std::vector<Cut>& cuts);
  Status rank_page();
  Status compare_heads();
  Status write(const std::vector<Cut>& cuts);
};

std::vector<std::string> Planner::Listing::roots() const {
  std::vector<std::string> out;
  for (const InputFiles& one : config.rules.inputs) out.push_back(one.root);
  return out;
}

Status Planner::Listing::create() {
  ASSIGN_OR_RETURN(file, fs.create(config.plan_path));
  // The file system's own clock is what later changes are judged by.
  ASSIGN_OR_RETURN(const FileStat stat, fs.stat(config.plan_path));
  const std::string head = plan_head_bytes({roots(), config.rules.formation, stat.changed});
  RETURN_IF_ERROR(file->write_at(0, head));
  RETURN_IF_ERROR(file->sync());
  RETURN_IF_ERROR(fs.sync_folder(config.state_folder));
  written = head.size();
  return {};
}

Status Planner::Listing::take_old() {
  ASSIGN_OR_RETURN(PlanReader old, PlanReader::open(fs, config.old_plan_path));
  RETURN_IF_ERROR(old.index(config.old_plan_bytes));
  next_id = old.size();
  version = old.version();
  // What is written in one piece is all of it.
  const bool whole = config.listing_ended || config.rules.in_one_piece();
  check.emplace(fs,
                std::move(old),
                PlanCheck::Rules{.complete = whole,
                                 .any_order = config.rules.in_one_piece(),
                                 .items = config.rules.items(),
                                 .grouped = config.rules.grouped(),
                                 .may_change = std::move(config.may_change),
                                 .accept = config.accept,
                                 .accepted = accepted_up_to(fs, config.state_folder)});
  return {};
}

// A plan that was not complete is continued in a copy, because its first master may still write.
Status Planner::Listing::copy_old() {
  ASSIGN_OR_RETURN(const std::unique_ptr<File> from, fs.open(config.old_plan_path));
  ASSIGN_OR_RETURN(file, fs.create(config.plan_path));
  std::string bytes;
  while (written < config.old_plan_bytes) {
    bytes.resize(std::min<std::uint64_t>(1U << 20, config.old_plan_bytes - written));
    ASSIGN_OR_RETURN(const std::size_t got, from->read_at(written, bytes));
    if (got < bytes.size()) {
      return fail(ErrorCode::kInternal,
                  "plan {} is shorter than {} bytes",
                  config.old_plan_path,
                  config.old_plan_bytes);
    }
    RETURN_IF_ERROR(file->write_at(written, bytes));
    written += got;
  }
  RETURN_IF_ERROR(file->sync());
  return fs.sync_folder(config.state_folder);
}

void Planner::Listing::make_page() {
  result = {};
  status = try_page();
  newer = !status && check && check->can_be_accepted();
}

Status Planner::Listing::try_page() {
  if (config.rules.rank_mini_batch_count) return rank_page();
  std::vector<Cut> cuts;
  if (!cutter.ended()) {
    RETURN_IF_ERROR(compare_heads());
    ASSIGN_OR_RETURN(const std::vector<std::string> names, cutter.list(page));
    std::size_t used = 0;
    if (check) {
      ASSIGN_OR_RETURN(used, check->take(cutter.input(), names));
    }
    std::vector<Cut>& into = config.rules.in_one_piece() ? unsorted : cuts;
    RETURN_IF_ERROR(cutter.cut(std::span(names).subspan(used), into));
    if (names.size() < page) RETURN_IF_ERROR(cutter.end_input(into));
    page = std::min(page * 4, kPageMax);
  }
  if (cutter.ended()) RETURN_IF_ERROR(end_all(cuts));
  return cuts.empty() ? Status() : write(cuts);
}

// Once, before anything is listed.
Status Planner::Listing::compare_heads() {
  if (!check || std::exchange(compared, true)) return {};
  RETURN_IF_ERROR(check->check_roots(roots()));
  return check->check_formation(config.rules.formation);
}

Status Planner::Listing::end_all(std::vector<Cut>& cuts) {
  ended = true;
  if (check) {
    RETURN_IF_ERROR(check->finish());
    accepted = check->accepted();
  }
  if (accepted.files > 0) {
    RETURN_IF_ERROR(write_accepted_input(fs, config.state_folder, config.epoch, accepted));
  }
  check.reset();
  cuts.insert(cuts.end(),
              std::make_move_iterator(unsorted.begin()),
              std::make_move_iterator(unsorted.end()));
  unsorted.clear();
  if (config.rules.largest_first) sort_largest_first(cuts);
  return {};
}

Status Planner::Listing::rank_page() {
  const BatchId count = *config.rules.rank_mini_batch_count;
  const std::size_t more = std::min<std::size_t>(page, count - std::min(count, next_id));
  page = std::min(page * 4, kPageMax);
  ended = next_id + more >= count;
  return more == 0 ? Status() : write(std::vector<Cut>(more));
}

Status Planner::Listing::write(const std::vector<Cut>& cuts) {
  std::string bytes;
  std::vector<std::uint32_t> items;
  for (const Cut& cut : cuts) {
    result.offsets.push_back(written + bytes.size());
    items.push_back(cut.items);
    append_plan_batch(
        {.id = next_id++, .items = cut.items, .names = cut.names, .input = cut.input, .root = ""},
        version,
        bytes);
  }
  RETURN_IF_ERROR(file->write_at(written, bytes));
  if (!planted(Fault::kSkipPlanSync)) RETURN_IF_ERROR(file->sync());
  written += bytes.size();
  result.runs = runs_of(items);
  result.plan_bytes = written;
  return {};
}

Planner::Planner(Loop& loop, FileSystem& fs, PlannerConfig config, Callbacks callbacks)
    : loop_(loop),
      listing_(std::make_shared<Listing>(fs, std::move(config))),
      callbacks_(std::move(callbacks)),
      self_(std::make_shared<Planner*>(this)) {}

Planner::~Planner() { *self_ = nullptr; }

Status Planner::open() {
  Listing& listing = *listing_;
  const PlannerConfig& config = listing.config;
  if (config.old_plan_path.empty()) return listing.create();
  RETURN_IF_ERROR(listing.take_old());
  return config.listing_ended ? Status() : listing.copy_old();
}

void Planner::start() { next_page(); }

void Planner::next_page() {
  loop_.blocking([listing = listing_] { listing->make_page(); },
                 [self = self_] {
                   if (*self != nullptr) (*self)->page_done();
                 });
}

void Planner::page_done() {
  Listing& listing = *listing_;
  if (!listing.status) {
    const auto& said =
        listing.newer && callbacks_.on_newer ? callbacks_.on_newer : callbacks_.on_error;
    said(listing.status.error());
    return;
  }
  const auto self = self_;
  if (!listing.result.runs.empty()) {
    callbacks_.on_page(std::move(listing.result));
  } else if (callbacks_.on_listed) {
    callbacks_.on_listed();
  }
  if (*self == nullptr) return;
  if (listing.ended) {
    if (listing.accepted.files > 0 && callbacks_.on_accepted) {
      callbacks_.on_accepted(listing.accepted);
    }
    callbacks_.on_ended(listing.cutter.remarks());
  } else {
    next_page();
  }
}

}  // namespace windrow
