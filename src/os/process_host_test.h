// SPDX-License-Identifier: Apache-2.0
//
// For tests of real worker processes: an engine's process side, and looks at what is there.
#pragma once

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "base/check.h"
#include "os/process_host.h"

namespace windrow {

inline std::string read_text(const std::string& path) {
  // Not a stream: those throw when a file of /proc loses its process under them.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(65'536, '\0');
  const ssize_t got = file ? ::read(file.get(), text.data(), text.size()) : 0;
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

// Dead but unreaped counts as gone: after an engine's death that is the business of init.
inline bool is_alive(pid_t pid) {
  const std::string stat = read_text(fmt::format("/proc/{}/stat", pid));
  const std::size_t end = stat.rfind(") ");
  return end != std::string::npos && stat[end + 2] != 'Z' && stat[end + 2] != 'X';
}

inline std::size_t open_descriptors(pid_t pid = ::getpid()) {
  const std::filesystem::directory_iterator folder(fmt::format("/proc/{}/fd", pid));
  return static_cast<std::size_t>(std::distance(begin(folder), end(folder)));
}

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = "/tmp/windrow-host-XXXXXX";
    path_ = ::mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(TemporaryFolder&&) = delete;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A whole engine's process side: zygote, loop, host, and a sink that remembers.
class Engine final : public WorkerHost::Sink {
 public:
  explicit Engine(std::string folder)
      : folder_(std::move(folder)),
        zygote(*Zygote::fork_off()),
        loop(*EpollLoop::create()),
        host(std::make_unique<ProcessHost>(*loop, zygote)) {
    host->set_sink(*this);
  }

  void on_packet(ProcessNumber process, Packet packet) override {
    CHECK(!exits.contains(process));
    packets[process].push_back(std::move(packet));
  }

  void on_exit(ProcessNumber process, const WorkerExit& exit) override {
    CHECK(exits.emplace(process, exit).second);
  }

  // Turns the loop until `condition` holds; false when that takes too long.
  bool until(const std::function<bool()>& condition, Duration limit = std::chrono::seconds(20)) {
    const TimePoint deadline = loop->now() + limit;
    std::function<void()> look = [&] {
      if (condition() || loop->now() > deadline) return loop->stop();
      loop->at(loop->now() + std::chrono::milliseconds(2), look);
    };
    look();
    loop->run();
    return condition();
  }

  void start(ProcessNumber process, std::vector<std::string> argv) {
    WorkerCommand command;
    command.argv = std::move(argv);
    command.set_environment = {{"WINDROW_TEST", "a value"}, {"FOLDER", folder_}};
    command.working_folder = folder_;
    command.stdout_path = folder_ + "/out.txt";
    command.stderr_path = folder_ + "/err.txt";
    host->start(process, command);
  }

  void shell(ProcessNumber process, const std::string& script) {
    start(process, {"/bin/sh", "-c", script});
  }

  void python(ProcessNumber process, const std::string& script) {
    start(process, {"python3", "-c", std::string(kPrelude) + script});
  }

  // The end of a worker; one that never started when none comes.
  WorkerExit exit_of(ProcessNumber process) {
    if (until([&] { return exits.contains(process); })) return exits.at(process);
    WorkerExit none;
    none.started = false;
    none.why = "no end has come";
    return none;
  }

  // The numbers that a worker has written into a file, once `count` are there.
  std::vector<pid_t> pids(const std::string& name, std::size_t count) {
    std::vector<pid_t> numbers;
    until([&] {
      std::ifstream file(folder_ + "/" + name);
      numbers.assign(std::istream_iterator<pid_t>(file), {});
      return numbers.size() >= count;
    });
    return numbers;
  }

 private:
  static constexpr std::string_view kPrelude = R"(
import array, mmap, os, signal, socket, struct, sys
commands = socket.socket(fileno=3)
answers = socket.socket(fileno=4)
page = mmap.mmap(5, 64)
def receive():
    data, parts, _, _ = commands.recvmsg(65536, socket.CMSG_SPACE(4))
    for _, _, number in parts:
        with open(array.array('i', number)[0], 'rb') as file:
            data += file.read()
    return data[:64], data[64:]
def send(header, payload=b''):
    if len(payload) <= 65472:
        answers.send(header + payload)
        return
    file = os.memfd_create('answer')
    os.truncate(file, len(payload))
    os.pwrite(file, payload, 0)
    answers.sendmsg([header], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [file]))])
    os.close(file)
def headed(size):
    return b'h' * 32 + struct.pack('<Q', size) + b't' * 24
def show(sequence, phase, batch, picked, since):
    page[:40] = struct.pack('<QIIIIqQ', sequence, phase, batch, picked, 0, since, sequence)
)";

  std::string folder_;

 public:
  Zygote zygote;
  std::unique_ptr<EpollLoop> loop;
  std::unique_ptr<ProcessHost> host;
  std::map<ProcessNumber, std::vector<Packet>> packets;
  std::map<ProcessNumber, WorkerExit> exits;
};

inline PacketHeader header_of(std::uint64_t payload_size, char mark = 'm') {
  PacketHeader header{};
  header.fill(mark);
  std::memcpy(header.data() + 32, &payload_size, sizeof payload_size);
  return header;
}

inline constexpr const char* kIdle = "\nwhile True: signal.pause()\n";

}  // namespace windrow
