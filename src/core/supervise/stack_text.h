// SPDX-License-Identifier: Apache-2.0
//
// What a worker shows when it is asked where it is (Python's faulthandler), as a traceback.
//
// Thread: any; text in, text out. Failure: none; lines that are not a stack are left out.
#pragma once

#include <string>
#include <string_view>

namespace windrow {

// The stack that `error` ends, as Python would have shown it: the thread that called the script
// last, the error below it, the worker's own frames left out. Empty when `shown` holds no stack.
std::string traceback_of(std::string_view shown, std::string_view error);

}  // namespace windrow
