// SPDX-License-Identifier: Apache-2.0
//
// What went wrong in one attempt or one start of a script, as one line of JSON for programs.
//
// Thread: any; values in, text out.
#pragma once

#include <cstdint>
#include <string>

#include "core/schedule/facts.h"

namespace windrow {

void append_error_record(const fact::AttemptEnded& ended, std::uint32_t items, std::string& out);
void append_error_record(const fact::LoadEnded& ended, std::string& out);

}  // namespace windrow
