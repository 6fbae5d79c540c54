// SPDX-License-Identifier: Apache-2.0
//
// A look at the text of an entry script, which is not executed.
//
// Thread: any; values in, values out. Failure: none.
#pragma once

#include <string_view>

namespace windrow {

// Whether nothing in this Python text can give the module a name `run`. False when in doubt: names
// may come from `import *`, from exec() or from a text that this look does not understand.
bool lacks_run(std::string_view python);

}  // namespace windrow
