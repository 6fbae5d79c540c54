// SPDX-License-Identifier: Apache-2.0
#include "cli/main.h"

int main(int argc, char** argv) { return windrow::command_line(argc, argv); }
