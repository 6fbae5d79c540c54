// SPDX-License-Identifier: Apache-2.0
//
// What job files say about tables that are made first: queries, and rows put together by columns.
#include <algorithm>

#include <gtest/gtest.h>

#include "core/spec/effective.h"
#include "core/spec/identity.h"
#include "core/spec/job_file.h"
#include "core/spec/job_file_test.h"

namespace windrow {
namespace {

constexpr const char* kTask = "task: {entry_script: a.py}\n";

class MadeTablesTest : public testing::Test, protected JobFileWords {
 protected:
  // A job with this input, and these lines.
  static std::string job(const std::string& input, const std::string& more = "") {
    return "type: parallel\ninputs: {a: {" + input + "}}\ninput_data: ${{inputs.a}}\n" + more +
           kTask;
  }
  static std::string sql(const std::string& connection, const std::string& more = "") {
    return job("type: sql, connection: '" + connection + "', query: select 1", more);
  }
};

// C686
TEST_F(MadeTablesTest, AQueryIsATable) {
  const JobSpec spec = spec_of(sql("postgresql://me@host/shop", "mini_batch_size: 500 rows\n"));
  ASSERT_EQ(spec.inputs.size(), 1U);
  EXPECT_EQ(spec.inputs[0].type, InputType::kSql);
  EXPECT_EQ(spec.inputs[0].paths, std::vector<std::string>{"postgresql://me@host/shop"});
  EXPECT_EQ(spec.inputs[0].query, "select 1");
  EXPECT_EQ(spec.input_as, InputAs::kTable);
  EXPECT_EQ(spec.mini_batch_size.rows, 500U);
}

// C686
TEST_F(MadeTablesTest, AFileOfADatabaseLiesBesideTheJobFile) {
  const auto connection = [this](const std::string& said) {
    return spec_of(sql(said)).inputs.at(0).paths.at(0);
  };
  EXPECT_EQ(connection("sqlite:///shop.db"), "sqlite:////jobs/shop.db");
  EXPECT_EQ(connection("shop.sqlite3"), "sqlite:////jobs/shop.sqlite3");
  EXPECT_EQ(connection("sqlite:////data/shop.db"), "sqlite:////data/shop.db");
}

// C687
TEST_F(MadeTablesTest, APasswordIsRefusedAndNotShown) {
  for (const char* said : {"postgresql://me:geheim@host/shop",
                           "host=h user=me password=geheim",
                           "postgres://host/shop?password=geheim"}) {
    const std::string problem = problems(sql(said, "mini_batch_size: 5 rows\n"));
    EXPECT_EQ(std::ranges::count(problem, '\n'), 1) << problem;
    EXPECT_TRUE(problem.contains("has a password in it")) << problem;
    EXPECT_TRUE(problem.contains("~/.pgpass")) << problem;
    EXPECT_FALSE(problem.contains("geheim")) << problem;
  }
}

// C687
TEST_F(MadeTablesTest, MistakesOfAQueryAreTold) {
  EXPECT_EQ(problems(job("type: sql")),
            "job.yml:2:13: inputs.a.connection is missing\n"
            "job.yml:2:13: inputs.a.query is missing\n");
  EXPECT_EQ(problems(job("type: sql, connection: x.db, query: select 1, path: y")),
            "job.yml:2:66: inputs.a.path: does not go with type sql\n");
  EXPECT_EQ(problems(job("path: x, query: select 1")),
            "job.yml:2:30: inputs.a.query: is only for type sql\n");
  EXPECT_EQ(problems(sql("x.db", "input_as: files\n")),
            "job.yml:4:11: input_as: is table for an input of type sql\n");
  EXPECT_EQ(problems("type: parallel\ninputs: {a: {path: x}, b: {type: sql, connection: x.db, "
                     "query: select 1}}\ninput_data: ${{inputs.a}}\n" +
                     std::string(kTask)),
            "job.yml:2:27: inputs.b: is not in input_data; a query is only asked for rows\n");
}

// C688
TEST_F(MadeTablesTest, ColumnsThatPutRowsTogetherAreTheKeys) {
  const JobSpec spec = spec_of(job("path: x", "input_as: table\npartition_by: [store, brand]\n"));
  EXPECT_EQ(spec.partition_by, (std::vector<std::string>{"store", "brand"}));
  EXPECT_EQ(spec.partition_keys, spec.partition_by);
  const JobSpec one = spec_of(
      job("path: x", "input_as: table\npartition_by: store,brand\npartition_keys: store\n"));
  EXPECT_EQ(one.partition_keys, std::vector<std::string>{"store"});
  EXPECT_EQ(problems(job("path: x", "partition_by: store\n")),
            "job.yml:4:15: partition_by: is only for tables: add input_as: table (--as table)\n");
  EXPECT_EQ(
      problems(job("path: x", "input_as: table\npartition_by: store\npartition_keys: brand\n")),
      "job.yml:5:15: partition_by: lacks 'brand', which partition_keys has\n");
}

// What does not go with keys does not go with columns that are the keys.
TEST_F(MadeTablesTest, ColumnsThatPutRowsTogetherAreCheckedAsKeys) {
  EXPECT_EQ(
      problems(job("path: x", "input_as: table\npartition_by: store\nbisect_failed: true\n")),
      "job.yml:5:15: partition_by: and bisect_failed do not go together for tables: the rows of a "
      "key stay together\n");
  EXPECT_EQ(problems(job("type: mltable, path: x", "input_as: jsonl\npartition_by: store\n")),
            "job.yml:5:15: partition_by: is only for tables: add input_as: table (--as table)\n");
}

// C686 C688
TEST_F(MadeTablesTest, WhatIsKeptOfThemReadsAsTheSame) {
  for (const std::string& text :
       {sql("postgresql://me@host/shop", "mini_batch_size: 500 rows\nframe: pyarrow\n"),
        sql("sqlite:///shop.db"),
        job("path: x", "input_as: table\npartition_by: [store]\nmini_batch_size: 7MB\n"),
        job("path: x", "input_as: table\npartition_by: [store]\nmemory_limit: 1GB\n")}) {
    const JobSpec first = spec_of(text);
    const JobSpec again = spec_of(effective_job_file(first, {}));
    EXPECT_EQ(first, again) << text << first.name << again.name;
    EXPECT_EQ(identity_hash(first), identity_hash(again));
  }
  EXPECT_NE(identity_hash(spec_of(sql("a.db"))), identity_hash(spec_of(sql("b.db"))));
}

}  // namespace
}  // namespace windrow
