// SPDX-License-Identifier: Apache-2.0
#include "agent/agent.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/plant.h"
#include "base/process_name.h"
#include "base/words.h"
#include "journal/segment.h"

namespace windrow {
namespace {

using std::chrono::seconds;

constexpr Duration kHeartbeat = seconds(2);
constexpr Duration kSilenceMax = seconds(10);
constexpr Duration kOrphanedAfter = seconds(60);
constexpr Duration kPickedAfter = seconds(1);  // what runs longer is logged before its end

}  // namespace

Agent::Agent(Loop& loop,
             FileSystem& fs,
             const MakeHost& make_host,
             MasterLink& link,
             AgentLog& log,
             AgentConfig config)
    : loop_(loop),
      fs_(fs),
      link_(link),
      log_(log),
      config_(std::move(config)),
      host_(make_host(*this)),
      incarnation_(config_.incarnation),
      self_(std::make_shared<Agent*>(this)) {}

Agent::~Agent() { *self_ = nullptr; }

Status Agent::join() {
  RETURN_IF_ERROR(open_segment());
  skip_used_numbers();
  heard_ = loop_.now();
  number_out_ = number_in_ = 0;
  say_hello();
  heartbeat();
  if (config_.memory) watch_memory();
  return {};
}

// The journal does not know workers that were still starting when a master was killed, but their
// logs are there, and two workers must not share one.
void Agent::skip_used_numbers() {
  const auto logs = fs_.list(config_.folders.process_raw);
  if (!logs) return;
  for (const FolderEntry& entry : *logs) {
    if (const auto used = process_of_name(entry.name)) {
      process_next_ = std::max(process_next_, *used + 1);
    }
  }
}

void Agent::say_hello() {
  say(to_master::Hello{config_.slots, config_.slots * 3, segment_file_, config_.host});
}

Status Agent::open_segment() {
  segment_file_ = fmt::format("{}.{}.seg", config_.id, incarnation_);
  ASSIGN_OR_RETURN(std::unique_ptr<File> file,
                   fs_.create(config_.folders.rows + "/" + segment_file_));
  const std::string head = segment_head(config_.id, incarnation_);
  RETURN_IF_ERROR(file->write_at(0, head));
  RETURN_IF_ERROR(file->sync());
  if (!planted(Fault::kSkipFolderSync)) RETURN_IF_ERROR(fs_.sync_folder(config_.folders.rows));
  Appender::Options options = config_.segment;
  options.skip_sync = Fault::kSkipSegmentSync;
  segment_ = std::make_unique<Appender>(
      loop_,
      std::move(file),
      head.size(),
      options,
      [this](std::uint64_t up_to) { segment_synced(up_to); },
      [this](const Error& error) {
        say(to_master::Broken{"the rows cannot be kept: " + error.message});
      });
  return {};
}

void Agent::segment_synced(std::uint64_t up_to) {
  say(to_master::SegmentSynced{up_to});
  if (stopping_) {
    say_stopped_when_synced();
  } else if (supervisor_ && !silent_) {
    supervisor_->pause(false, loop_.now(), orders_);
    carry_out();
  }
}

void Agent::on_message(MasterMessage message) {
  if (ended_ || message.epoch < epoch_ || message.incarnation != incarnation_) return;
  heard_ = loop_.now();
  if (std::holds_alternative<to_agent::Rejoin>(message.body)) {
    rejoin();
    return;
  }
  if (message.number <= number_in_) return;  // received before
  if (message.number != number_in_ + 1 ||
      (epoch_ != 0 && message.epoch != epoch_ && number_in_ > 0)) {
    rejoin();
    return;
  }
  number_in_ = message.number;
  epoch_ = message.epoch;
  std::visit([this](auto& body) { take(body); }, message.body);
  carry_out();
}

void Agent::take(to_agent::Welcome& message) {
  if (supervisor_ || !segment_) return;
  settings_ = std::move(message.settings);
  process_next_ = std::max(process_next_, message.process_next);
  supervisor_ = std::make_unique<Supervisor>(SuperviseLimits{
      .agent = config_.id,
      .slots = config_.slots,
      .depth_max = config_.depth_max,
      .process_next = process_next_,
      .run_timeout = settings_.run_timeout,
      .timeout_hint = settings_.timeout_hint,
      .overhead_timeout = settings_.overhead_timeout,
      .gpus = config_.gpus,
      .init_limit = settings_.init_timeout,
      .wear = {.batches_max = settings_.batches_max, .rss_max = settings_.rss_max},
  });
  supervisor_->begin(loop_.now(), orders_);
}

void Agent::take(to_agent::Assign& message) {
  if (!supervisor_) return;
  supervisor_->give(Work{message.token, message.items, message.tries, std::move(message.paths)},
                    loop_.now(),
                    orders_);
}

void Agent::take(const to_agent::TakeBack& message) {
  if (supervisor_) supervisor_->take_back(message.count, loop_.now(), orders_);
}

void Agent::take(const to_agent::Cancel& message) {
  if (supervisor_) supervisor_->cancel(message.token, loop_.now(), orders_);
}

void Agent::take(const to_agent::Stop& message) {
  if (supervisor_) {
    supervisor_->stop(message.mode, loop_.now(), orders_);
  } else {  // there is nothing to do for it, or it could not open a segment
    ended_ = true;
    say(to_master::Stopped{});
  }
}

void Agent::take(const to_agent::Alive& /*message*/) {}

void Agent::take(const to_agent::Rejoin& /*message*/) {}

void Agent::on_packet(ProcessNumber process, Packet packet) {
  if (orphans_.contains(process) || !supervisor_) return;
  const std::optional<Answer> answer = decode_answer(packet);
  if (answer && answer->kind == AnswerKind::kBundle) {
    take_bundle(process, packet.payload);
  } else {
    take_single(process, answer, packet.payload);
  }
  carry_out();
}

void Agent::take_single(ProcessNumber process,
                        const std::optional<Answer>& answer,
                        const std::string& payload) {
  if (answer && answer->kind != AnswerKind::kBundle) {
    take_answer(process, *answer, payload);
  } else {
    supervisor_->misbehaved(
        process, "it sent something that is not an answer", loop_.now(), orders_);
  }
}

void Agent::take_answer(ProcessNumber process, const Answer& answer, const std::string& payload) {
  const TimePoint now = loop_.now();
  switch (answer.kind) {
    case AnswerKind::kReady:
    case AnswerKind::kInitFailed: {
      fact::LoadEnded load{.agent = config_.id, .process = process};
      load.start = loop_.wall_at(TimePoint(Duration(static_cast<std::int64_t>(answer.start_ns))));
      load.elapsed_us = answer.elapsed_us;
      load.cpu_us = answer.cpu_us;
      if (answer.kind == AnswerKind::kReady) {
        if ((answer.flags & kFlagBundles) != 0) bundles_.try_emplace(process);
        supervisor_->ready(process, std::move(load), now, orders_);
        return;
      }
      ScriptError error = parse_script_error(payload);
      load.status =
          (answer.flags & kFlagRefused) != 0 ? LoadStatus::kRefused : LoadStatus::kException;
      load.error_type = std::move(error.type);
      load.error_message = std::move(error.message);
      load.traceback = std::move(error.traceback);
      supervisor_->load_failed(process, std::move(load), now, orders_);
      return;
    }
    case AnswerKind::kDone:
    case AnswerKind::kFailed: {
      const std::optional<std::uint32_t> items = supervisor_->expects(process, answer.token);
      if (!items) {
        supervisor_->misbehaved(process,
                                "it answered for a mini-batch that it does not have",
                                now,
                                orders_,
                                answer.token);
        return;
      }
      if (settings_.rss_max > 0) supervisor_->weighed(process, host_->memory(process).rss);
      // Only where the plan could not know may it tell otherwise.
      const std::optional<std::uint32_t> found =
          settings_.input_as == InputAs::kTable ? answer.items : std::nullopt;
      const std::uint32_t total = found.value_or(*items);
      std::vector<Part> parts;
      if (!take_parts(answer, total, payload, parts)) {
        supervisor_->misbehaved(process, "it sent an answer in bad parts", now, orders_);
        return;
      }
      AttemptRecord record = make_record(process, answer, total, payload);
      record.items = found;
      if ((answer.flags & kFlagParts) != 0) keep_parts(parts, total, record);
      supervisor_->answered(process, std::move(record), now, orders_);
      if (segment_->unsynced() > config_.unsynced_max) {
        supervisor_->pause(true, now, orders_);
        segment_->hurry();
      }
      return;
    }
    case AnswerKind::kBundle:
      return;  // was taken apart before
    case AnswerKind::kGoodbye:
      if (!payload.empty()) {
        const ScriptError error = parse_script_error(payload);
        log_.note(error.method == "threads"
                      ? fmt::format("{}: {}", process_name(process), error.message)
                      : fmt::format("{}: shutdown() raised {}: {}",
                                    process_name(process),
                                    error.type,
                                    error.message));
      }
      return;
  }
}

std::vector<std::pair<ProcessNumber, int>> Agent::worker_pids() const {
  std::vector<std::pair<ProcessNumber, int>> out;
  if (!supervisor_) return out;
  for (const ProcessNumber process : supervisor_->live()) {
    if (const std::optional<int> pid = host_->pid(process)) out.emplace_back(process, *pid);
  }
  return out;
}

void Agent::say(ToMaster body) {
  link_.send(AgentMessage{config_.id, incarnation_, ++number_out_, std::move(body)});
}

// Messages got lost on one side: begin again from nothing.
void Agent::rejoin() {
  log_.note("the master asks to join again");
  abandon_workers();
  segment_.reset();
  stopping_ = false;
  keeping_ = 0;
  silent_ = false;
  ++incarnation_;
  number_out_ = number_in_ = 0;
  heard_ = loop_.now();
  const Status opened = open_segment();
  say_hello();
  if (!opened) say(to_master::Broken{"the rows cannot be kept: " + opened.error().message});
}

void Agent::abandon_workers() {
  if (supervisor_) {
    for (const ProcessNumber process : supervisor_->live()) {
      orphans_.insert(process);
      host_->kill(process);
    }
  }
  supervisor_.reset();
  bundles_.clear();
  orders_.clear();
  stacks_.clear();
}

void Agent::heartbeat() {
  const TimePoint now = loop_.now();
  if (now - heard_ > kOrphanedAfter) {
    ended_ = true;
    abandon_workers();
    return;
  }
  if (supervisor_ && (now - heard_ > kSilenceMax) != silent_) {
    silent_ = !silent_;
    supervisor_->pause(silent_, now, orders_);
    carry_out();
  }
  note_picked(now);
  limit_outputs();
  say(to_master::Alive{});
  loop_.at(now + kHeartbeat, [self = self_] {
    if (*self != nullptr && !(*self)->ended_) (*self)->heartbeat();
  });
}

void Agent::limit_outputs() {
  if (!supervisor_) return;
  for (const ProcessNumber process : supervisor_->live()) log_.limit_output(process);
}

void Agent::note_picked(TimePoint now) {
  if (!supervisor_) return;
  for (const ProcessNumber process : supervisor_->live()) {
    const WorkerPage page = host_->page(process);
    const Token token{epoch_, page.batch, page.picked};
    const bool busy = page.phase == WorkerPhase::kLoad || page.phase == WorkerPhase::kRun ||
                      page.phase == WorkerPhase::kSerialise;
    if (!busy || now - page.since < kPickedAfter) continue;
    if (const std::optional<std::uint32_t> items = supervisor_->expects(process, token)) {
      log_.picked(process, token, *items, loop_.wall_at(page.since));
    }
  }
}

void Agent::arm_check() {
  if (!supervisor_ || ended_) return;
  const TimePoint wanted = supervisor_->next_check();
  if (check_set_ && check_at_ <= wanted) return;
  if (check_set_) loop_.cancel(check_timer_);
  check_set_ = true;
  check_at_ = wanted;
  check_timer_ = loop_.at(wanted, [self = self_] {
    if (*self != nullptr) (*self)->check();
  });
}

void Agent::check() {
  check_set_ = false;
  if (!supervisor_ || ended_) return;
  std::map<ProcessNumber, WorkerPage> pages;
  for (const ProcessNumber process : supervisor_->live()) pages[process] = host_->page(process);
  supervisor_->check(pages, loop_.now(), orders_);
  carry_out();
}

void Agent::say_stopped_when_synced() {
  // What a broken segment has not synced is lost; the master was told.
  if (keeping_ > 0) return;
  if (segment_->unsynced() > 0 && !segment_->failed()) {
    segment_->hurry();
    return;
  }
  ended_ = true;
  say(to_master::Stopped{});
}

void Agent::check_invariants() const {
  if (supervisor_) supervisor_->check_invariants();
}

}  // namespace windrow
