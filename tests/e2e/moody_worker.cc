// SPDX-License-Identifier: Apache-2.0
//
// A worker for test_native.py that does with each item what the endings of its name say.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

#include <unistd.h>
#include <windrow/worker.h>

namespace {

using windrow::worker::Failure;
using windrow::worker::MiniBatch;
using windrow::worker::Rows;
using windrow::worker::Setting;

std::string output_folder;

void init(const Setting& setting) {
  std::cout << "arguments: ";
  for (std::size_t i = 0; i < setting.arguments.size(); ++i) {
    std::cout << (i == 0 ? "" : "|") << setting.arguments[i];
    if (setting.arguments[i] == "--no-model") throw std::runtime_error("there is no model");
  }
  std::cout << "\n";
  output_folder = setting.output_folder;
}

std::string row_of(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  const auto is = [&name](const char* mood) { return name.find(mood) != std::string::npos; };
  if (is(".slow")) {
    std::ofstream(path.parent_path().parent_path() / "begun", std::ios::app) << name << "\n";
    usleep(20'000);
  }
  if (is(".writes")) std::ofstream(output_folder + "/" + name + ".copy") << name;
  if (is(".throws")) throw Failure("BadMood", name + " is in a bad mood");
  if (is(".standard")) throw std::runtime_error(name + " said \"no\" \\ \u00e4 \xff");
  if (is(".other")) throw 42;
  if (is(".aborts")) std::abort();
  if (is(".hangs")) sleep(600);
  return is(".large") ? name + " " + std::string(200'000, 'x') : name;
}

}  // namespace

int main() {
  const auto run = [](MiniBatch& batch) {
    Rows rows;
    for (const std::string_view path : batch.items()) rows.push_back(row_of(path));
    return rows;
  };
  return windrow::worker::serve({.init = init, .run = run});
}
