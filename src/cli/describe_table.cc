// SPDX-License-Identifier: Apache-2.0
//
// windrow describe-table FOLDER, for programs: what python/compat/mltable reads tables by.
#include "cli/command.h"
#include "core/spec/job_paths.h"
#include "os/machine.h"
#include "os/posix_file_system.h"
#include "workspace/prepare/table_input.h"

namespace windrow {
namespace {

class DescribeTable final : public Command {
 public:
  void declare(CLI::App& app) override {
    app.description("Print how the MLTable file in a folder says that its table is read, as JSON");
    app.group("");  // for programs, not shown
    app.add_option("FOLDER", folder_, "Folder with a file MLTable")->required()->type_name("");
  }

  [[nodiscard]] bool needs_home() const override { return false; }

  int run(const Caller& /*caller*/) override {
    PosixFileSystem fs;
    const Result<std::string> text = describe_mltable(fs, join_path(current_folder(), folder_));
    if (!text) return report(text.error());
    write_out(1, *text + "\n");
    return 0;
  }

 private:
  std::string folder_;
};

}  // namespace

std::unique_ptr<Command> make_describe_table_command() { return std::make_unique<DescribeTable>(); }

}  // namespace windrow
