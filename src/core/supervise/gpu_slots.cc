// SPDX-License-Identifier: Apache-2.0
#include "core/supervise/gpu_slots.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "base/counted.h"
#include "base/text.h"

namespace windrow {
namespace {

constexpr std::uint32_t kSharesMax = 1000;
constexpr std::uint32_t kGpusMax = 1024;  // what a preset may claim

std::optional<std::uint32_t> whole_number(std::string_view text) {
  text = trimmed(text);
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::min(number, kGpusMax);
}

// As CUDA reads it: what stands behind the first thing that names no device is not visible.
std::vector<std::string> visible_names(std::string_view list) {
  std::vector<std::string> names;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    const std::string_view name = trimmed(list.substr(0, comma));
    list.remove_prefix(std::min(comma + 1, list.size()));
    const bool index = !name.empty() && name.find_first_not_of("0123456789") == name.npos;
    if (!index && !name.starts_with("GPU-") && !name.starts_with("MIG-")) break;
    if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
  }
  return names;
}

std::vector<std::string> indexes(std::uint32_t count) {
  std::vector<std::string> names;
  for (std::uint32_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

}  // namespace

GpuSet choose_gpus(const GpuFacts& facts) {
  GpuSet out{.real = facts.found > 0};
  std::optional<std::uint32_t> number = facts.said;
  std::string_view origin = "--gpus";
  if (!number && facts.preset) {
    number = whole_number(*facts.preset);
    origin = "AZ_BATCHAI_GPU_COUNT_FOUND";
  }
  if (facts.visible && !out.real && !number) {
    // Slurm, or a shell, may set it everywhere. A list makes no devices.
    out.source = "CUDA_VISIBLE_DEVICES is set, but no device was found";
  } else if (facts.visible) {
    out.names = visible_names(*facts.visible);
    out.source = "CUDA_VISIBLE_DEVICES";
    if (number && *number < out.names.size()) {
      out.names.resize(*number);
      out.source += fmt::format(", {}", origin);
    }
  } else if (number) {
    out.names = indexes(*number);
    out.source = origin;
    if (out.real && facts.found != *number) out.source += fmt::format("; {} found", facts.found);
  } else {
    out.names = indexes(facts.found);
    out.source = "found";
  }
  return out;
}

WorkerCount choose_worker_count(std::optional<std::uint32_t> said,
                                const GpuSet& gpus,
                                std::uint32_t cpus) {
  const std::size_t count = gpus.names.size();
  const std::string machine = count == 0 ? counted(cpus, "CPU") + " that may be used, no GPU"
                                         : fmt::format("{} ({}), {} that may be used",
                                                       counted(count, "GPU"),
                                                       gpus.source,
                                                       counted(cpus, "CPU"));
  if (said) {
    return {*said, fmt::format("{}, as you set; {}", counted(*said, "worker"), machine)};
  }
  if (count == 0) {
    return {cpus, fmt::format("{}: one for each of {}", counted(cpus, "worker"), machine)};
  }
  const std::string more =
      count == 1 ? std::string("") : fmt::format("; --workers {} gives each GPU one", count);
  return {1, fmt::format("1 worker: this machine has {}{}", machine, more)};
}

std::string describe(const GpuGrant& grant) {
  switch (grant.kind) {
    case GpuGrant::Kind::kUntouched:
      return "";
    case GpuGrant::Kind::kUnset:
      return " without a GPU: none is free (CUDA_VISIBLE_DEVICES is unset)";
    case GpuGrant::Kind::kSet:
      break;
  }
  if (grant.devices.empty()) return " without a GPU: none is free (CUDA_VISIBLE_DEVICES is empty)";
  return fmt::format(" with GPU {0} (CUDA_VISIBLE_DEVICES={0})", grant.devices);
}

GpuSlots::GpuSlots(GpuRules rules) : rules_(std::move(rules)), sharing_(rules_.names.size(), 0) {
  const double each = rules_.per_worker;
  if (each >= 1) {
    whole_ = static_cast<std::size_t>(std::llround(std::min(each, 1.0 * kGpusMax)));
  } else if (each > 0) {
    // A third is 0.33 or 0.3333 in a job file.
    shares_ = static_cast<std::uint32_t>(std::min(1 / each + 0.05, 1.0 * kSharesMax));
  }
}

std::optional<std::size_t> GpuSlots::first_free() const {
  const auto least = std::ranges::min_element(sharing_);
  if (least == sharing_.end() || *least >= shares_) return std::nullopt;
  return static_cast<std::size_t>(least - sharing_.begin());
}

GpuGrant GpuSlots::surplus() const {
  const bool hide =
      rules_.surplus == GpuSurplus::kHide || (rules_.surplus == GpuSurplus::kAuto && rules_.real);
  return {hide ? GpuGrant::Kind::kSet : GpuGrant::Kind::kUnset, ""};
}

GpuGrant GpuSlots::take(ProcessNumber process) {
  CHECK(!held_.contains(process));
  if (rules_.names.empty()) return {};
  std::vector<std::size_t> taken;
  while (taken.size() < whole_) {
    const std::optional<std::size_t> free = first_free();
    if (!free) break;
    ++sharing_[*free];
    taken.push_back(*free);
  }
  if (taken.size() < whole_) {
    for (const std::size_t gpu : taken) --sharing_[gpu];
    return surplus();
  }
  GpuGrant grant{GpuGrant::Kind::kSet, rules_.names[taken.front()]};
  for (std::size_t i = 1; i < taken.size(); ++i) grant.devices += "," + rules_.names[taken[i]];
  held_.emplace(process, std::move(taken));
  return grant;
}

void GpuSlots::release(ProcessNumber process) {
  const auto it = held_.find(process);
  if (it == held_.end()) return;
  for (const std::size_t gpu : it->second) --sharing_[gpu];
  held_.erase(it);
}

void GpuSlots::check_invariants() const {
  std::vector<std::uint32_t> sharing(sharing_.size(), 0);
  for (const auto& [process, gpus] : held_) {
    for (const std::size_t gpu : gpus) ++sharing[gpu];
  }
  CHECK(sharing == sharing_);
  for (const std::uint32_t count : sharing_) CHECK(count <= shares_);
}

}  // namespace windrow
