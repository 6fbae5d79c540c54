// SPDX-License-Identifier: Apache-2.0
//
// The identifiers that travel between programs and files. One meaning each.
#pragma once

#include <compare>
#include <cstdint>

namespace windrow {

using BatchId = std::uint32_t;        // mini-batch, from 0 in plan order
using AgentId = std::uint32_t;        // node id, from 0; names folders in the log tree
using ProcessNumber = std::uint32_t;  // worker process NNN of `processNNN`, never reused in a job
using SegmentId = std::uint32_t;      // a row segment file of the job, from 0 in order of opening
using Epoch = std::uint64_t;          // one life of the master; rises with every start

// One hand-out of one mini-batch. A report that names another token is stale and changes nothing.
struct Token {
  Epoch epoch = 0;
  BatchId batch = 0;
  std::uint32_t picked = 0;  // 1 for the first hand-out; rises with every one
  friend auto operator<=>(const Token&, const Token&) = default;
};

// Some items in a row of a mini-batch, counted from 0.
struct ItemRange {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  friend auto operator<=>(const ItemRange&, const ItemRange&) = default;
};

}  // namespace windrow
