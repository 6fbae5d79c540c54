// SPDX-License-Identifier: Apache-2.0
//
// What a power cut would leave: a copy of every file as of its last sync, and of every folder's
// names.
//
// In the shadow folder, f.<inode> is the content of a file when it was last synced and d.<inode>
// the names in a folder then, one per line: kind (f, d, l or s), inode, name. What has no shadow
// was never synced. Only raw system calls, so that the shim does not see its own doing.
//
// Thread: under the shim's lock. Failure: aborts; a proof with a wrong shadow proves nothing.
#pragma once

#include <string>

namespace crash {

// The inode is new: whatever had its number before is forgotten.
void shadow_forget(const std::string& shadow, int descriptor);

// The file or folder was synced.
void shadow_keep(const std::string& shadow, int descriptor);

// Writes a file by raw system calls.
void write_raw(const std::string& path, int flags, const std::string& text);

}  // namespace crash
