// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "cli/main.h"
#include "os/machine.h"
#include "worker/lines_worker.h"

int main(int argc, char** argv) {
  windrow::keep_standard_descriptors();
  const std::string_view word = argc == 2 ? argv[1] : "";
  if (word == windrow::kLinesWorker) return windrow::lines_worker(windrow::CommandMode::kLines);
  if (word == windrow::kFilterWorker) return windrow::lines_worker(windrow::CommandMode::kFilter);
  return windrow::command_line(argc, argv);
}
