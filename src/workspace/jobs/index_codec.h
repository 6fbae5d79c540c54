// SPDX-License-Identifier: Apache-2.0
//
// The records of an index to bytes and back; the layout is in docs/formats/index.md.
//
// Decoding never trusts its input. Stateless, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "workspace/jobs/job_index.h"

namespace windrow {

inline constexpr BatchId kIndexBlock = 4096;  // mini-batches

// The journal that an index is of.
struct JournalTie {
  Epoch epoch = 0;
  std::uint64_t length = 0;
  std::uint32_t tail_crc = 0;  // of its last bytes
  friend bool operator==(const JournalTie&, const JournalTie&) = default;
};

struct IndexSummary {
  JournalTie tie;
  JobOutline outline;
  Account account;                           // without advice
  std::vector<std::uint64_t> block_lengths;  // of whole records
};

// REQUIRES: a finished job.
void encode_index_summary(const IndexSummary& summary, std::string& out);
Result<IndexSummary> decode_index_summary(std::string_view bytes);

void encode_index_block(const std::vector<IndexedBatch>& block, std::string& out);
Result<std::vector<IndexedBatch>> decode_index_block(std::string_view bytes, std::size_t count);

}  // namespace windrow
