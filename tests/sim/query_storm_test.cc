// SPDX-License-Identifier: Apache-2.0
//
// Jobs over a query, in a storm: drawn line by line, each right or wrong, with rows in files whose
// names may say what they are.
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/spec/effective.h"
#include "core/spec/job_file.h"
#include "drawn_value.h"
#include "storm.h"
#include "yaml_page.h"

namespace windrow::sim {
namespace {

// What was said of a database, and what it means beside a job file in /project; "" is refused.
const std::vector<std::pair<std::string, std::string>> kConnections = {
    {"shop.db", "sqlite:////project/shop.db"},
    {"x/a.sqlite", "sqlite:////project/x/a.sqlite"},
    {"/abs/b.sqlite3", "sqlite:////abs/b.sqlite3"},
    {"sqlite:///c", "sqlite:////project/c"},
    {"sqlite:////abs/c", "sqlite:////abs/c"},
    {"postgresql://me@host/shop", "postgresql://me@host/shop"},
    {"postgresql://host:5432/a@b:c", "postgresql://host:5432/a@b:c"},
    {"postgresql://me@host/x.db", "postgresql://me@host/x.db"},
    {"host=x dbname=y", "host=x dbname=y"},
    {"", ""},
    {"  ", ""},
    {"postgresql://me:secret@host/shop", ""},
    {"host=x PassWord=y", ""},
    {"postgresql://host/x?password=z", ""}};

class QueryStorm {
 public:
  explicit QueryStorm(std::uint64_t seed) : random_(seed) {}

  void run() {
    line("type: parallel");
    draw_query();
    draw_input_data();
    draw_rows();
    SCOPED_TRACE(text_);
    const auto reading = read_job_file({.file = "job.yml", .text = text_, .folder = "/project"});
    std::multiset<std::uint64_t> lines;
    if (!reading) {
      for (const Problem& one : reading.error()) lines.insert(std::stoul(one.where.substr(8)));
    }
    ASSERT_EQ(lines, problems_) << (reading ? "" : problems_text(reading.error()));
    if (!reading) return;
    const JobSpec& spec = reading->spec;
    EXPECT_EQ(spec.inputs[0].type, InputType::kSql);
    EXPECT_EQ(spec.inputs[0].paths, std::vector<std::string>{connection_});
    EXPECT_EQ(spec.inputs[0].query, query_);
    EXPECT_EQ(spec.input_as, InputAs::kTable);
    EXPECT_EQ(spec.rows.format, format_);
    const auto again = read_job_file({.file = "job.yml",
                                      .text = effective_job_file(spec, reading->origins),
                                      .folder = "/elsewhere",
                                      .written_by_us = true});
    ASSERT_TRUE(again) << problems_text(again.error());
    EXPECT_EQ(again->spec, spec);
  }

 private:
  bool maybe(std::uint32_t per_mille) { return random_.per_mille(per_mille); }
  void line(const std::string& text) { text_ += text + "\n", ++line_; }
  void blame(bool wrong) {
    if (wrong) problems_.insert(line_);
  }

  void draw_query() {
    line("inputs:");
    line("  q:");
    line("    type: sql");
    const std::uint64_t map = line_;
    if (maybe(950)) {
      const auto& [said, means] = kConnections[random_.below(maybe(800) ? 9 : kConnections.size())];
      line("    connection: " + yaml_text(random_, said));
      blame(means.empty());
      connection_ = means;
    } else {
      problems_.insert(map);
    }
    if (maybe(950)) {
      query_ = draw_from(random_, {"select 1", "SELECT a, b FROM t WHERE x = 'y'"});
      const bool empty = maybe(50);
      line("    query: " + (empty ? "' '" : yaml_text(random_, query_)));
      blame(empty);
      if (empty) query_.clear();
    } else {
      problems_.insert(map);
    }
    if (maybe(50)) {
      line(draw_from(random_, {"    path: x", "    mode: direct", "    default: 5"}));
      blame(true);
    }
    const bool alone = maybe(900);
    if (!alone) line("  other: {path: x}");
    if (!alone && maybe(500)) data_ = "['${{inputs.q}}', '${{inputs.other}}']";
    if (!alone && data_.empty()) {
      data_ = "${{inputs.other}}";
      problems_.insert(map);  // nobody asks for its rows
    }
  }

  void draw_input_data() {
    line("input_data: " + (data_.empty() ? "${{inputs.q}}" : data_));
    blame(data_.starts_with('['));
    if (maybe(600)) return;
    const std::string items = draw_from(random_, {"table", "table", "files", "jsonl"});
    line("input_as: " + items);
    blame(items != "table" && data_ != "${{inputs.other}}");
  }

  // By the name of the file, unless it is said.
  void draw_rows() {
    static const std::map<std::string, RowFormat> kFormats = {{"csv", RowFormat::kCsv},
                                                              {"jsonl", RowFormat::kJsonLines},
                                                              {"parquet", RowFormat::kParquet},
                                                              {"arrow", RowFormat::kArrow}};
    const std::string ending = draw_from(random_, {"csv", "parquet", "arrow"});
    const bool file = maybe(700);
    line("outputs: {rows: {type: " + std::string(file ? "uri_file" : "uri_folder") +
         ", path: out." + ending + "}}");
    line("task: {entry_script: s.py, append_row_to: '${{outputs.rows}}'}");
    if (file && ending != "csv") format_ = kFormats.at(ending);
    if (maybe(300)) {
      const std::string said = draw_from(random_, {"csv", "jsonl", "parquet", "arrow"});
      line("append_row: {format: " + said + "}");
      format_ = kFormats.at(said);
    } else if (maybe(300)) {
      line("append_row: {sep: ';'}");
      blame(format_ != RowFormat::kAzure);
    }
  }

  Random random_;
  std::string text_;
  std::uint64_t line_ = 0;
  std::string connection_;
  std::string query_;
  std::string data_;
  RowFormat format_ = RowFormat::kAzure;
  std::multiset<std::uint64_t> problems_;
};

TEST(QueryStorm, AQueryIsReadAsItWasDrawnOrRefusedWhereItIsWrong) { play_storms<QueryStorm>(); }

}  // namespace
}  // namespace windrow::sim
