// SPDX-License-Identifier: Apache-2.0
#include "cli/main.h"
#include "os/machine.h"

int main(int argc, char** argv) {
  windrow::keep_standard_descriptors();
  return windrow::command_line(argc, argv);
}
