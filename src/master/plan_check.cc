// SPDX-License-Identifier: Apache-2.0
#include "master/plan_check.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/ranges.h>

#include "base/text.h"
#include "base/words.h"
#include "core/plan/item_file.h"

namespace windrow {
namespace {

constexpr std::size_t kProblemsShown = 10;
constexpr std::string_view kTouched = "touched";

std::unexpected<Error> not_what_it_was(std::string_view why) {
  return fail(ErrorCode::kConflict, "the input is not what it was when the job began: {}", why);
}

}  // namespace

std::string_view newer_word(const FileStat& stat, WallTime since) {
  return stat.modified.nanoseconds > since.nanoseconds ? "changed" : kTouched;
}

PlanCheck::PlanCheck(FileSystem& fs, PlanReader plan, Rules rules)
    : fs_(fs), plan_(std::move(plan)), rules_(std::move(rules)), differs_(rules_.any_order) {}

Status PlanCheck::check_roots(const std::vector<std::string>& roots) const {
  const std::vector<std::string>& were = plan_.head().roots;
  if (roots == were) return {};
  return not_what_it_was(fmt::format("it was in '{}' and is now in '{}'",
                                     escape_bytes(fmt::format("{}", fmt::join(were, "', '"))),
                                     escape_bytes(fmt::format("{}", fmt::join(roots, "', '")))));
}

Status PlanCheck::check_formation(const std::string& formation) const {
  if (rules_.items != InputAs::kTable || formation == plan_.head().formation) return {};
  return not_what_it_was("how its tables are read has changed (an MLTable file?)");
}

Result<std::optional<PlanCheck::Item>> PlanCheck::next_planned() {
  while (batch_.empty()) {
    if (next_ == plan_.size()) {
      ended_ = true;
      return std::nullopt;
    }
    ASSIGN_OR_RETURN(const PlanBatch batch, plan_.read(next_));
    if (batch.items > 0) {
      for (std::string& name : split_at_nul(batch.names)) {
        batch_.push_back({batch.input, std::move(name), next_});
      }
    }
    ++next_;
    std::ranges::reverse(batch_);
  }
  Item item = std::move(batch_.back());
  batch_.pop_back();
  return item;
}

Result<std::size_t> PlanCheck::take(std::uint32_t input, const std::vector<std::string>& names) {
  std::size_t used = 0;
  for (; used < names.size() && !differs_; ++used) {
    ASSIGN_OR_RETURN(const std::optional<Item> planned, next_planned());
    if (!planned && !rules_.complete) return used;
    if (planned && planned->input == input && planned->name == planned_name(names[used])) {
      RETURN_IF_ERROR(look_at(*planned));
      continue;
    }
    differs_ = true;
    if (planned) planned_.push_back(*planned);
    break;
  }
  for (; used < names.size(); ++used) found_.push_back({input, planned_name(names[used]), 0});
  return used;
}

// A file of a table that is in a mini-batch as a whole is a stretch there.
std::string PlanCheck::planned_name(const std::string& name) const {
  const bool whole = rules_.grouped && rules_.items == InputAs::kTable && !parse_stretch_name(name);
  return whole ? stretch_name(name, {}) : name;
}

Status PlanCheck::finish() {
  if (!differs_) {
    ASSIGN_OR_RETURN(const std::optional<Item> planned, next_planned());
    differs_ = planned.has_value();
    if (planned) planned_.push_back(*planned);
  }
  if (!differs_) return verdict();
  RETURN_IF_ERROR(collect_planned());
  return judge();
}

Status PlanCheck::collect_planned() {
  for (;;) {
    ASSIGN_OR_RETURN(std::optional<Item> planned, next_planned());
    if (!planned) return {};
    planned_.push_back(*std::move(planned));
  }
}

Status PlanCheck::judge() {
  const auto key = [](const Item& item) { return std::tie(item.input, item.name); };
  std::ranges::sort(planned_, {}, key);
  if (!rules_.complete) {
    // What comes behind the last name that the plan knows is not yet planned.
    while (!found_.empty() && !std::ranges::binary_search(planned_, key(found_.back()), {}, key)) {
      found_.pop_back();
    }
  }
  std::ranges::sort(found_, {}, key);
  std::size_t at = 0;
  for (const Item& item : planned_) {
    while (at < found_.size() && key(found_[at]) < key(item)) note("additional", found_[at++]);
    if (at < found_.size() && key(found_[at]) == key(item)) {
      RETURN_IF_ERROR(look_at(item));
      ++at;
    } else {
      note("missing", item);
    }
  }
  while (at < found_.size()) note("additional", found_[at++]);
  if (problems_.empty() && !rules_.any_order) {
    return not_what_it_was("its files come in another order");
  }
  return verdict();
}

Status PlanCheck::look_at(const Item& item) {
  const std::string file(file_of_item(path_of(item), rules_.items));
  const Result<FileStat> stat = fs_.stat(file);
  if (!stat) {
    note("missing", item);
  } else if (!(item.batch < rules_.may_change.size() && rules_.may_change[item.batch])) {
    look_at_newer(item, file, *stat);
  }
  return problems_.size() > kProblemsShown ? verdict() : Status();
}

void PlanCheck::look_at_newer(const Item& item, const std::string& file, const FileStat& stat) {
  const std::int64_t since =
      std::max(plan_.head().listing_began.nanoseconds, rules_.accepted.nanoseconds);
  if (stat.changed.nanoseconds <= since) return;
  if (!rules_.accept) {
    note(newer_word(stat, {since}), item);
    return;
  }
  if (file == last_accepted_) return;  // rows of one file
  last_accepted_ = file;
  if (accepted_.files++ == 0) accepted_.first = escape_bytes(file);
  accepted_.up_to.nanoseconds = std::max(accepted_.up_to.nanoseconds, stat.changed.nanoseconds);
}

std::string PlanCheck::path_of(const Item& item) const {
  const std::string& root = plan_.head().roots[item.input];
  return plan_path(root == "/" ? "" : root, item.name);
}

void PlanCheck::note(std::string_view what, const Item& item) {
  if (problems_.size() > kProblemsShown) return;
  acceptable_ = acceptable_ && (what == "changed" || what == kTouched);
  // Where there are several inputs, a name below its root says too little.
  const bool one = plan_.head().roots.size() == 1;
  const std::string name = one ? item.name : path_of(item);
  std::string file(file_of_item(name, rules_.items));
  const bool rows = rules_.items != InputAs::kFiles;
  if (rows && what == "missing" &&
      fs_.stat(std::string(file_of_item(path_of(item), rules_.items)))) {
    what = "changed";  // these rows are not where they were
  }
  const auto known = std::ranges::find(problems_, file, &Problem::file);
  if (known == problems_.end()) {
    problems_.push_back({std::move(file), what});
  } else if (rows && known->what == "additional") {
    known->what = what;  // rows of a file that the plan has too
  }
}

Status PlanCheck::verdict() const {
  if (problems_.empty()) return {};
  const bool more = problems_.size() > kProblemsShown;
  std::string said;
  for (const Problem& problem : problems_) {
    said += fmt::format(
        "{}{} is {}", said.empty() ? "" : ", ", path_in_quotes(problem.file), problem.what);
  }
  if (more) said += ", ...";
  const bool touched = std::ranges::count(problems_, kTouched, &Problem::what) > 0;
  if (touched) said += kTouchedNote;
  return not_what_it_was(said);
}

}  // namespace windrow
