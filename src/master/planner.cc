// SPDX-License-Identifier: Apache-2.0
#include "master/planner.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/plant.h"
#include "base/text.h"

namespace windrow {
namespace {

// The first page is small, so that work begins at once; later ones are cheaper when larger.
constexpr std::size_t kFirstPage = 500;
constexpr std::size_t kPageMax = 64000;
constexpr std::size_t kProblemsShown = 10;

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
  FileLister lister;
  Cutter cutter;
  std::unique_ptr<File> file;          // null: the plan is complete
  std::uint64_t written = 0;           // length of the plan
  std::optional<PlanReader> old;       // what the listing is compared with
  BatchId old_next = 0;                // mini-batches of it that are read
  std::vector<std::string> old_names;  // of the last one read, reversed
  std::size_t page = kFirstPage;
  std::size_t only_next = 0;
  BatchId next_id = 0;

  PlannedPage result;
  std::vector<std::string> problems;
  bool ended = false;
  Status status;

  Listing(FileSystem& file_system, PlannerConfig settings)
      : fs(file_system),
        config(std::move(settings)),
        lister(file_system, config.root, config.without),
        cutter(config.files_per_batch) {}

  Status create();
  Status copy_old();
  void make_page();
  Status try_page();
  Result<std::vector<std::string>> list();
  Result<std::optional<std::string>> next_old();
  Status compare(const std::vector<std::string>& names, std::size_t& used);
  void note_problem(const char* what, const std::string& name);
  Status stat_one(const std::string& name);
  Status write(std::vector<Cut> cuts);
};

Status Planner::Listing::create() {
  ASSIGN_OR_RETURN(file, fs.create(config.plan_path));
  // The file system's own clock is what later changes are judged by.
  ASSIGN_OR_RETURN(const FileStat stat, fs.stat(config.plan_path));
  const std::string head = plan_head_bytes({config.root, config.formation, stat.changed});
  RETURN_IF_ERROR(file->write_at(0, head));
  RETURN_IF_ERROR(file->sync());
  RETURN_IF_ERROR(fs.sync_folder(config.state_folder));
  written = head.size();
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
}

Status Planner::Listing::try_page() {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, list());
  std::size_t used = 0;
  if (old) RETURN_IF_ERROR(compare(names, used));
  std::vector<Cut> cuts;
  for (; used < names.size(); ++used) {
    if (!file) {
      note_problem("additional", names[used]);
      continue;
    }
    if (auto cut = cutter.add(names[used])) cuts.push_back(*std::move(cut));
  }
  ended = names.size() < page;
  if (ended && old) {
    for (;;) {
      ASSIGN_OR_RETURN(const auto name, next_old());
      if (!name) break;
      note_problem("missing", *name);
    }
    old.reset();
  }
  if (ended && file) {
    if (auto cut = cutter.finish()) cuts.push_back(*std::move(cut));
  }
  page = std::min(page * 4, kPageMax);
  if (!problems.empty() && (ended || problems.size() > kProblemsShown)) {
    return fail(ErrorCode::kConflict,
                "the input is not what it was when the job began: {}{}",
                fmt::join(problems, ", "),
                problems.size() > kProblemsShown ? ", ..." : "");
  }
  if (!cuts.empty()) RETURN_IF_ERROR(write(std::move(cuts)));
  return {};
}

Result<std::vector<std::string>> Planner::Listing::list() {
  if (config.only.empty()) return lister.next(page);
  const std::size_t end = std::min(config.only.size(), only_next + page);
  std::vector<std::string> names(config.only.begin() + static_cast<std::ptrdiff_t>(only_next),
                                 config.only.begin() + static_cast<std::ptrdiff_t>(end));
  only_next = end;
  return names;
}

Result<std::optional<std::string>> Planner::Listing::next_old() {
  if (old_names.empty()) {
    if (old_next == old->size()) return std::nullopt;
    ASSIGN_OR_RETURN(const PlanBatch batch, old->read(old_next++));
    old_names = split_names(batch.names);
    std::reverse(old_names.begin(), old_names.end());
  }
  std::string name = std::move(old_names.back());
  old_names.pop_back();
  return name;
}

// Both lists have the same order, so the first difference says what it is.
Status Planner::Listing::compare(const std::vector<std::string>& names, std::size_t& used) {
  while (used < names.size()) {
    ASSIGN_OR_RETURN(const auto name, next_old());
    if (!name) {
      old.reset();
      return {};
    }
    while (used < names.size() && names[used] < *name) note_problem("additional", names[used++]);
    if (used == names.size() || names[used] != *name) {
      if (used < names.size()) note_problem("missing", *name);
      if (used == names.size()) old_names.push_back(*name);
      continue;
    }
    RETURN_IF_ERROR(stat_one(*name));
    ++used;
  }
  return {};
}

Status Planner::Listing::stat_one(const std::string& name) {
  const Result<FileStat> stat = fs.stat(config.root + "/" + name);
  if (!stat) {
    note_problem("missing", name);
  } else if (stat->changed.nanoseconds > old->head().listing_began.nanoseconds &&
             !(old_next <= config.may_change.size() && config.may_change[old_next - 1])) {
    note_problem("changed", name);
  }
  return {};
}

void Planner::Listing::note_problem(const char* what, const std::string& name) {
  if (problems.size() <= kProblemsShown)
    problems.push_back(fmt::format("{} is {}", in_quotes(name), what));
}

Status Planner::Listing::write(std::vector<Cut> cuts) {
  std::string bytes;
  std::vector<std::uint32_t> items;
  for (const Cut& cut : cuts) {
    result.offsets.push_back(written + bytes.size());
    items.push_back(cut.items);
    append_plan_batch(next_id++, cut.items, cut.names, bytes);
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
  ASSIGN_OR_RETURN(PlanReader old, PlanReader::open(listing.fs, config.old_plan_path));
  RETURN_IF_ERROR(old.index(config.old_plan_bytes));
  listing.next_id = old.size();
  listing.old = std::move(old);
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
    callbacks_.on_error(listing.status.error());
    return;
  }
  const auto self = self_;
  if (!listing.result.runs.empty()) callbacks_.on_page(std::move(listing.result));
  if (*self == nullptr) return;
  if (listing.ended) {
    callbacks_.on_ended();
  } else {
    next_page();
  }
}

}  // namespace windrow
