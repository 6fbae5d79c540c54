// SPDX-License-Identifier: Apache-2.0
//
// Facts to bytes and back; the layout is in docs/formats/journal.md.
//
// Decoding never trusts its input: a fact of an unknown kind, a value out of range or bytes left
// over are an error. Stateless, any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "core/schedule/facts.h"

namespace windrow {

// Appends the fact to `out`.
void encode_fact(const Fact& fact, std::string& out);

Result<Fact> decode_fact(std::string_view bytes);

}  // namespace windrow
