// SPDX-License-Identifier: Apache-2.0
//
// The floor: the least that a master in C++ and workers in Python can do for a mini-batch.
//
// Hands the paths of a list to Python workers over socket pairs, `depth` mini-batches in flight per
// worker, and appends the rows that come back to one file with plain buffered writes. No journal,
// no records, no retries, no checks of any kind: what Windrow does beyond this is what it costs.
//
//   floor LIST BATCH_SIZE BATCHES WORKERS DEPTH packet|stream ROWS PYTHON WORKER_SCRIPT
//
// LIST holds paths separated by NUL bytes. Prints one JSON object. Ends at the first error.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kHeaderSize = 4;  // length of the payload, in the byte order of the machine
constexpr std::size_t kReadSize = 1U << 17;

struct Options {
  std::string list;
  std::size_t batch_size = 0;
  std::size_t batches = 0;
  std::size_t workers = 0;
  std::size_t depth = 0;
  bool packets = false;
  std::string rows;
  std::string python;
  std::string script;
};

struct Worker {
  int socket = -1;
  pid_t pid = -1;
  std::string unread;  // stream only: the beginning of an answer
  Clock::time_point sent;
};

[[noreturn]] void die(const char* what) {
  std::fprintf(stderr, "floor: %s: %s\n", what, std::strerror(errno));
  std::exit(1);
}

std::string read_file(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) die("cannot open the list");
  std::string text;
  std::vector<char> buffer(1U << 20);
  while (true) {
    const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file);
    if (got == 0) break;
    text.append(buffer.data(), got);
  }
  std::fclose(file);
  return text;
}

// Each mini-batch is a stretch of the list: paths joined by NUL, none at the end.
std::vector<std::string_view> cut(std::string_view list, const Options& options) {
  std::vector<std::string_view> batches;
  batches.reserve(options.batches);
  while (!list.empty() && batches.size() < options.batches) {
    std::size_t end = 0;
    for (std::size_t item = 0; item < options.batch_size && end < list.size(); ++item) {
      const std::size_t nul = list.find('\0', end);
      end = nul == std::string_view::npos ? list.size() : nul + 1;
    }
    const bool ends_in_nul = list[end - 1] == '\0';
    batches.push_back(list.substr(0, ends_in_nul ? end - 1 : end));
    list.remove_prefix(end);
  }
  return batches;
}

Worker start(const Options& options) {
  int ends[2];
  const int type = (options.packets ? SOCK_SEQPACKET : SOCK_STREAM) | SOCK_CLOEXEC;
  if (socketpair(AF_UNIX, type, 0, ends) != 0) die("socketpair");
  const pid_t pid = fork();
  if (pid < 0) die("fork");
  if (pid == 0) {
    dup2(ends[1], 3);
    if (ends[1] == 3) fcntl(3, F_SETFD, 0);
    execlp(options.python.c_str(),
           options.python.c_str(),
           options.script.c_str(),
           options.packets ? "packet" : "stream",
           nullptr);
    die("cannot start python");
  }
  close(ends[1]);
  Worker worker;
  worker.socket = ends[0];
  worker.pid = pid;
  return worker;
}

void send_batch(Worker& worker, std::string_view batch) {
  const auto length = static_cast<std::uint32_t>(batch.size());
  char header[kHeaderSize];
  std::memcpy(header, &length, kHeaderSize);
  iovec parts[2] = {{header, kHeaderSize}, {const_cast<char*>(batch.data()), batch.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  worker.sent = Clock::now();
  const ssize_t sent = sendmsg(worker.socket, &message, MSG_NOSIGNAL);
  if (sent != static_cast<ssize_t>(kHeaderSize + batch.size())) die("short send");
}

class Loop {
 public:
  Loop(const Options& options, std::vector<std::string_view> batches)
      : options_(options), batches_(std::move(batches)), buffer_(kReadSize) {}

  void run() {
    for (std::size_t i = 0; i < options_.workers; ++i) workers_.push_back(start(options_));
    for (Worker& worker : workers_) wait_until_ready(worker);
    rows_ = std::fopen(options_.rows.c_str(), "wb");
    if (rows_ == nullptr) die("cannot open the file of rows");
    std::setvbuf(rows_, nullptr, _IOFBF, 1U << 20);
    const Clock::time_point begin = Clock::now();
    for (std::size_t i = 0; i < options_.depth; ++i) {
      for (Worker& worker : workers_) send_next(worker);
    }
    while (answered_ < batches_.size()) poll_once();
    std::fclose(rows_);
    const std::chrono::duration<double> seconds = Clock::now() - begin;
    for (Worker& worker : workers_) {
      close(worker.socket);
      waitpid(worker.pid, nullptr, 0);
    }
    report(seconds.count());
  }

 private:
  static void wait_until_ready(Worker& worker) {
    char byte = 0;
    if (recv(worker.socket, &byte, 1, 0) != 1) die("a worker did not start");
  }

  void send_next(Worker& worker) {
    if (next_ < batches_.size()) send_batch(worker, batches_[next_++]);
  }

  void poll_once() {
    std::vector<pollfd> ready;
    for (const Worker& worker : workers_) ready.push_back({worker.socket, POLLIN, 0});
    if (poll(ready.data(), ready.size(), -1) < 0) die("poll");
    for (std::size_t i = 0; i < ready.size(); ++i) {
      if (ready[i].revents != 0) receive(workers_[i]);
    }
  }

  void receive(Worker& worker) {
    const ssize_t got = recv(worker.socket, buffer_.data(), buffer_.size(), 0);
    if (got <= 0) die("a worker died");
    const std::string_view text(buffer_.data(), static_cast<std::size_t>(got));
    if (options_.packets) {
      accept(worker, text.substr(kHeaderSize));
      return;
    }
    worker.unread.append(text);
    std::string_view rest = worker.unread;
    while (rest.size() >= kHeaderSize) {
      std::uint32_t length = 0;
      std::memcpy(&length, rest.data(), kHeaderSize);
      if (rest.size() < kHeaderSize + length) break;
      accept(worker, rest.substr(kHeaderSize, length));
      rest.remove_prefix(kHeaderSize + length);
    }
    worker.unread.erase(0, worker.unread.size() - rest.size());
  }

  void accept(Worker& worker, std::string_view rows) {
    if (options_.depth == 1) {
      round_trips_.push_back(
          std::chrono::duration<double, std::micro>(Clock::now() - worker.sent).count());
    }
    std::fwrite(rows.data(), 1, rows.size(), rows_);
    ++answered_;
    send_next(worker);
  }

  void report(double seconds) {
    double median = 0;
    if (!round_trips_.empty()) {
      const auto middle =
          round_trips_.begin() + static_cast<std::ptrdiff_t>(round_trips_.size() / 2);
      std::nth_element(round_trips_.begin(), middle, round_trips_.end());
      median = *middle;
    }
    std::printf("{\"batches\": %zu, \"seconds\": %.6f, \"round_trip_us\": %.2f}\n",
                batches_.size(),
                seconds,
                median);
  }

  const Options& options_;
  std::vector<std::string_view> batches_;
  std::vector<char> buffer_;
  std::vector<Worker> workers_;
  std::vector<double> round_trips_;  // only with one in flight
  std::FILE* rows_ = nullptr;
  std::size_t next_ = 0;
  std::size_t answered_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 10) {
    std::fprintf(
        stderr,
        "usage: floor LIST BATCH_SIZE BATCHES WORKERS DEPTH packet|stream ROWS PYTHON SCRIPT\n");
    return 2;
  }
  Options options;
  options.list = argv[1];
  options.batch_size = std::strtoul(argv[2], nullptr, 10);
  options.batches = std::strtoul(argv[3], nullptr, 10);
  options.workers = std::strtoul(argv[4], nullptr, 10);
  options.depth = std::strtoul(argv[5], nullptr, 10);
  options.packets = std::string_view(argv[6]) == "packet";
  options.rows = argv[7];
  options.python = argv[8];
  options.script = argv[9];
  const std::string list = read_file(options.list);
  Loop(options, cut(list, options)).run();
  return 0;
}
