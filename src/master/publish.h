// SPDX-License-Identifier: Apache-2.0
//
// Gives merged files their names: all of them, or none.
//
// Thread: any; blocks. Failure: the Error says which file; then no file that was linked in this
// round is left. A crash in the middle leaves some: the next master finds them by what was
// journaled.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/schedule/facts.h"
#include "os/file_system.h"

namespace windrow {

// Complete and durable, without a name.
struct MergedFile {
  File* file = nullptr;
  fact::Publishing to;
};

// What a file that replaces another is called until then.
inline constexpr const char* kNewSuffix = ".windrow-new";

// A file that is there already counts as ours when it has the length and checksum of the one that
// was merged now, or of one in `before`; otherwise kConflict, and nothing is linked. `superseded`
// is asked before anything is taken back: another master may have taken what was linked for its
// own.
Status publish_together(FileSystem& fs,
                        const std::vector<MergedFile>& files,
                        const std::vector<fact::Publishing>& before,
                        const std::function<bool()>& superseded);

// Replaces what is there. Everything that can fail for lack of space or rights comes before the
// first file is replaced.
Status replace_together(FileSystem& fs, const std::vector<MergedFile>& files);

// Length and checksum of a file, read whole.
Result<fact::Publishing> measure_file(File& file);

}  // namespace windrow
