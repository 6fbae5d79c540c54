// SPDX-License-Identifier: Apache-2.0
//
// The engine's processes in a simulated world: a master, with its own agent in the local case, and
// an agent on a node of its own. Destroying one is kill -9.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/agent.h"
#include "fake_worker_host.h"
#include "flaky_network.h"
#include "master/master.h"
#include "os/fake_file_system.h"
#include "os/fake_loop.h"
#include "surroundings.h"
#include "wire/agent/in_process.h"

namespace windrow::sim {

inline constexpr const char* kJobFolder = "/job";
inline constexpr const char* kTarget = "/out/rows.txt";

FakeLoop::Delay pool_delay(Surroundings& world);

// An agent, its workers and its loop's part in both kinds of process.
class AgentBody final : public AgentLog {
 public:
  AgentBody(Surroundings& world,
            FakeFileSystem& disk,
            FakeLoop& loop,
            MasterLink& link,
            AgentId id,
            std::uint64_t incarnation);

  [[nodiscard]] Agent& agent() { return *agent_; }
  [[nodiscard]] FakeWorkerHost& host() { return *host_; }

  void note(const std::string& text) override { world_.trace.note(text); }
  void warn(const std::string& text) override { world_.trace.note(text); }
  void attempt(const AttemptRecord& record, std::uint32_t items) override;
  void load(const fact::LoadEnded& load, std::optional<int> pid) override;
  void picked(ProcessNumber process,
              const Token& token,
              std::uint32_t items,
              WallTime since) override;

 private:
  Surroundings& world_;
  FakeWorkerHost* host_ = nullptr;
  std::unique_ptr<Agent> agent_;
};

class AgentProcess final : public MasterLink {
 public:
  AgentProcess(Surroundings& world, FakeFileSystem& disk, AgentId id, std::uint64_t incarnation);
  ~AgentProcess() override;

  void send(AgentMessage message) override;

  // Replaces the line. Joins when it is the first one.
  Status connect(std::shared_ptr<FlakyLine> line, bool late);
  void disconnect(bool late);
  [[nodiscard]] bool joined() const { return joined_; }
  [[nodiscard]] bool connected() const { return line_ != nullptr && line_->open(); }

  FakeLoop loop;
  [[nodiscard]] AgentId id() const { return id_; }
  [[nodiscard]] Agent& agent() { return body_->agent(); }
  [[nodiscard]] FakeWorkerHost& host() { return body_->host(); }

 private:
  AgentId id_;
  bool joined_ = false;
  std::shared_ptr<FlakyLine> line_;
  std::unique_ptr<AgentBody> body_;
};

class MasterProcess final : public AgentLinks, public MasterLog {
 public:
  MasterProcess(Surroundings& world, FakeFileSystem& disk);
  ~MasterProcess() override;

  // What `windrow run` does: replay, take over, and in the local case join.
  Status open(std::optional<fact::Reopened> reopen);

  void send(AgentId agent, MasterMessage message) override;
  void accept(AgentId agent, std::shared_ptr<FlakyLine> line) { lines_[agent] = std::move(line); }

  void on_fact(const Fact& fact, const JobState& state, PlanReader& plan) override;
  void note(const std::string& text) override { world_.trace.note(text); }
  void tick(const Scheduler& scheduler, std::uint64_t merged_bytes) override;

  FakeLoop loop;
  [[nodiscard]] Master& master() { return *master_; }
  [[nodiscard]] bool opened() const { return opened_; }
  void check_invariants() const;

 private:
  MasterConfig config() const;

  Surroundings& world_;
  FakeFileSystem& disk_;
  InProcessLinks local_links_;
  std::map<AgentId, std::shared_ptr<FlakyLine>> lines_;
  std::unique_ptr<Master> master_;
  std::unique_ptr<AgentBody> local_agent_;
  bool opened_ = false;
};

}  // namespace windrow::sim
