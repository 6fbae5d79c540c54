// SPDX-License-Identifier: Apache-2.0
//
// The part of the Agent that sends mini-batches, and takes answers, many at a time: when they are
// short, a packet for each costs more than the work.
#include <ranges>
#include <utility>

#include "agent/agent.h"
#include "base/check.h"
#include "base/plant.h"

namespace windrow {
namespace {

constexpr std::size_t kBundleBytes = 48U << 10U;  // within one packet

Command command_for(const Work& work) {
  Command command{.kind = CommandKind::kBatch};
  command.token = work.token;
  command.items = work.items;
  command.tries = work.tries;
  command.payload_size = work.payload.size();
  return command;
}

}  // namespace

// What follows in this turn of the loop may go with it.
void Agent::carry_out(order::Send& one) {
  const auto found = bundles_.find(one.process);
  const std::size_t together = supervisor_->together();
  const std::size_t bytes = kPacketHeaderSize + one.work.payload.size();
  const bool joins = found != bundles_.end() && together > 1 && bytes <= kBundleBytes;
  if (!joins) {
    send_bundle(one.process);  // what was before it
    send_alone(one.process, std::move(one.work));
    return;
  }
  if (found->second.bytes + bytes > kBundleBytes) send_bundle(one.process);
  Bundle& bundle = found->second;
  bundle.works.push_back(std::move(one.work));
  bundle.bytes += bytes;
  if (bundle.works.size() >= together) {
    send_bundle(one.process);
  } else {
    send_bundles_soon();
  }
}

void Agent::send_alone(ProcessNumber process, Work work) {
  if (host_->send(process, encode_command(command_for(work)), work.payload)) return;
  supervisor_->unsent(process, std::move(work), loop_.now());
}

void Agent::send_bundles_soon() {
  if (bundles_due_) return;
  bundles_due_ = true;
  loop_.post([self = self_] {
    if (*self != nullptr) (*self)->send_bundles();
  });
}

void Agent::send_bundles() {
  bundles_due_ = false;
  for (const auto& [process, bundle] : bundles_) send_bundle(process);
  carry_out();
}

void Agent::send_bundle(ProcessNumber process) {
  const auto found = bundles_.find(process);
  if (found == bundles_.end() || found->second.held || found->second.works.empty()) return;
  found->second.bytes = 0;
  std::vector<Work> works = std::exchange(found->second.works, {});
  if (works.size() == 1) {
    send_alone(process, std::move(works.front()));
    return;
  }
  std::string payload;
  for (const Work& work : works)
    append_to_bundle(encode_command(command_for(work)), work.payload, payload);
  Command command{.kind = CommandKind::kBundle};
  command.items = static_cast<std::uint32_t>(works.size());
  command.payload_size = payload.size();
  if (host_->send(process, encode_command(command), payload)) return;
  for (Work& work : works | std::views::reverse) {
    supervisor_->unsent(process, std::move(work), loop_.now());
  }
}

// A worker that is being killed gets nothing more; what waits for it is taken back at its end.
void Agent::hold_bundle(ProcessNumber process) {
  const auto found = bundles_.find(process);
  if (found != bundles_.end()) found->second.held = true;
}

void Agent::take_bundle(ProcessNumber process, std::string_view payload) {
  const std::optional<std::vector<Packet>> answers = split_bundle(payload);
  if (!answers) {
    supervisor_->misbehaved(process, "it sent a bundle that is cut off", loop_.now(), orders_);
    return;
  }
  for (const Packet& packet : *answers) {
    take_single(process, decode_answer(packet), packet.payload);
  }
}

// Whole bundles, so there may be more than asked for. Only mini-batches are given back: a start or
// shutdown that was not read is of no use to others.
std::vector<Work> Agent::take_unread(ProcessNumber process, std::uint32_t count) {
  std::vector<Work> works;
  const auto take = [&works](Packet& packet, const Command& command) {
    works.push_back(Work{command.token, command.items, command.tries, std::move(packet.payload)});
  };
  while (works.size() < count) {
    std::optional<Packet> packet = host_->take_back(process);
    if (!packet) break;
    const std::optional<Command> command = decode_command(*packet);
    CHECK(command);
    if (command->kind == CommandKind::kBatch) take(*packet, *command);
    if (command->kind != CommandKind::kBundle) continue;
    std::optional<std::vector<Packet>> members = split_bundle(packet->payload);
    CHECK(members);
    if (planted(Fault::kForgetBundle)) members->resize(1);
    for (Packet& member : *members) take(member, *decode_command(member));
  }
  const auto waiting = bundles_.find(process);
  if (works.size() >= count || waiting == bundles_.end()) return works;
  for (Work& work : waiting->second.works) works.push_back(std::move(work));
  waiting->second.works.clear();
  waiting->second.bytes = 0;
  return works;
}

}  // namespace windrow
