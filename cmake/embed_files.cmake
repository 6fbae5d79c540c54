# SPDX-License-Identifier: Apache-2.0
#
# Script: writes the FILES below FROM as C++ data to TO. Those of src/ and compat/ come to lie side
# by side.
set(out "// Made by cmake/embed_files.cmake. NOLINTBEGIN\n#include \"workspace/worker/embedded_files.h\"\n\n")
string(APPEND out "namespace windrow {\nnamespace {\n\n")
set(table "")
set(number 0)
foreach(file IN LISTS FILES)
  file(READ ${FROM}/${file} hex HEX)
  string(REGEX MATCH "/(.*)" name "${file}")
  set(name ${CMAKE_MATCH_1})
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND out "constexpr unsigned char kFile${number}[] = {${bytes}0};\n")
  string(APPEND table "    {\"${name}\", {reinterpret_cast<const char*>(kFile${number}), sizeof(kFile${number}) - 1}},\n")
  math(EXPR number "${number} + 1")
endforeach()
string(APPEND out "\nconst EmbeddedFile kFiles[] = {\n${table}};\n\n}  // namespace\n\n")
string(APPEND out "std::span<const EmbeddedFile> embedded_files() { return kFiles; }\n\n}  // namespace windrow\n// NOLINTEND\n")
file(WRITE ${TO} "${out}")
