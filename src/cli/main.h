// SPDX-License-Identifier: Apache-2.0
//
// The whole command line: finds the command, runs it, returns the exit code of the process.
#pragma once

namespace windrow {

int command_line(int argc, char** argv);

}  // namespace windrow
