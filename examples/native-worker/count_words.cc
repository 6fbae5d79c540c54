// SPDX-License-Identifier: Apache-2.0
//
// A worker in C++: for each file, its name and how many words it has.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include <windrow/worker.h>

namespace {

using namespace windrow::worker;

Rows run(MiniBatch& batch) {
  Rows rows;
  for (std::size_t i = 0; i < batch.items().size(); ++i) {
    const std::filesystem::path path(batch.items()[i]);
    std::ifstream file(path);
    if (!file) throw Failure("Unreadable", "cannot open " + path.string());
    std::size_t words = 0;
    for (std::string word; file >> word;) ++words;
    if (words == 0) {
      batch.report_failed(i, "the file has no words");
    } else {
      rows.push_back(path.filename().string() + " " + std::to_string(words));
    }
  }
  return rows;
}

}  // namespace

int main() {
  return serve({.init = [](const Setting& setting) { std::cout << setting.process << " begins\n"; },
                .run = run});
}
