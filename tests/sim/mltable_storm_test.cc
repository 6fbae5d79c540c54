// SPDX-License-Identifier: Apache-2.0
//
// MLTable files in a storm: drawn part by part, each right or wrong, and judged by what was drawn;
// and the same text damaged.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "base/json.h"
#include "core/spec/job_file.h"
#include "core/table/mltable.h"
#include "core/table/partition_format.h"
#include "damage.h"
#include "drawn_mltable.h"
#include "storm.h"

namespace windrow::sim {
namespace {

std::multiset<std::uint32_t> lines_of(const std::vector<Problem>& problems) {
  std::multiset<std::uint32_t> lines;
  for (const Problem& one : problems) {
    EXPECT_TRUE(one.where.starts_with("MLTable:")) << one.where;
    EXPECT_FALSE(one.message.empty());
    lines.insert(static_cast<std::uint32_t>(std::stoul(one.where.substr(8))));
  }
  return lines;
}

std::multiset<std::uint32_t> as_set(const std::vector<std::uint32_t>& lines) {
  return {lines.begin(), lines.end()};
}

void judge(const DrawnMlTable& drawn) {
  SCOPED_TRACE(drawn.text);
  const auto table = read_mltable("MLTable", drawn.text);
  if (!drawn.problems.empty()) {
    ASSERT_FALSE(table) << "a problem should be on line " << drawn.problems[0];
    EXPECT_EQ(lines_of(table.error()), as_set(drawn.problems)) << problems_text(table.error());
    return;
  }
  ASSERT_TRUE(table) << problems_text(table.error());
  EXPECT_EQ(lines_of(table->notices), as_set(drawn.notices));
  EXPECT_EQ(table->paths, drawn.table.paths);
  EXPECT_EQ(table->partition_format, drawn.table.partition_format);
  EXPECT_EQ(table->inference, drawn.table.inference);
  ASSERT_EQ(table->table.has_value(), drawn.table.table.has_value());
  if (!table->table) return;
  EXPECT_EQ(table->table->transformations, drawn.table.table->transformations);
  EXPECT_EQ(table->table, drawn.table.table);
}

class MlTableStorm {
 public:
  explicit MlTableStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    for (const std::uint32_t wrong : {0U, 60U, 300U}) judge(MlTableDraft(random_, wrong).draw());
  }

 private:
  Random random_;
};

// A right file that somebody has damaged: it is refused at its places, or whole still.
class DamageStorm {
 public:
  explicit DamageStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    std::string text = MlTableDraft(random_, 20).draw().text;
    if (random_.per_mille(500)) text = damaged(random_, text);
    text.insert(
        random_.below(text.size() + 1),
        draw_from(random_, {":", " ", "[", "]", "{", "}", "\"", "'", "\n", "- ", ",", "*"}));
    SCOPED_TRACE(text);
    const auto table = read_mltable("MLTable", text);
    if (!table) return judge_refusal(table.error(), text);
    ASSERT_FALSE(table->paths.empty());
    for (const MlTable::Path& path : table->paths) EXPECT_FALSE(path.path.empty());
    EXPECT_TRUE(table->inference.empty() || parse_json(table->inference)) << table->inference;
    EXPECT_TRUE(table->partition_format.empty() || PartitionFormat::parse(table->partition_format));
    if (!table->table) return;
    EXPECT_TRUE(table->table->format && !table->table->delimiter->empty());
    for (const std::string& step : table->table->transformations) {
      const auto json = parse_json(step);
      ASSERT_TRUE(json) << step;
      ASSERT_NE(json->get<Json::Object>(), nullptr) << step;
      EXPECT_EQ(json->get<Json::Object>()->size(), 1U) << step;
    }
  }

 private:
  static void judge_refusal(const std::vector<Problem>& problems, const std::string& text) {
    ASSERT_FALSE(problems.empty());
    const auto lines = static_cast<std::uint32_t>(2 + std::ranges::count(text, '\n'));
    for (const Problem& one : problems) {
      EXPECT_TRUE(one.where.starts_with("MLTable")) << one.where;
      EXPECT_FALSE(one.message.empty());
      if (one.where.size() > 8) {
        EXPECT_LE(std::stoul(one.where.substr(8)), lines) << one.where;
      }
    }
  }

  Random random_;
};

TEST(MlTableStorm, ATableIsReadAsItWasDrawnOrRefusedWhereItIsWrong) { play_storms<MlTableStorm>(); }

TEST(MlTableStorm, ADamagedTableIsRefusedOrWhole) { play_storms<DamageStorm>(); }

}  // namespace
}  // namespace windrow::sim
