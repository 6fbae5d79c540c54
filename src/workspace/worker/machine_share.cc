// SPDX-License-Identifier: Apache-2.0
#include "workspace/worker/machine_share.h"

#include <algorithm>
#include <optional>
#include <string>

#include "os/cpu_count.h"
#include "os/gpu_devices.h"
#include "os/machine.h"

namespace windrow {
namespace {

std::optional<std::string> variable(const JobSpec& spec, const char* name) {
  const auto own = spec.environment_variables.find(name);
  return own != spec.environment_variables.end() ? own->second : environment_text(name);
}

}  // namespace

MachineShare share_of_machine(const JobSpec& spec) {
  MachineShare share;
  share.gpus = choose_gpus(GpuFacts{.visible = variable(spec, kVisibleGpusVariable),
                                    .said = spec.worker.gpus,
                                    .preset = variable(spec, kGpuCountVariable),
                                    .found = gpus_found()});
  share.cpus = usable_cpus();
  share.workers = choose_worker_count(spec.worker.count, share.gpus, share.cpus);
  return share;
}

GpuRules gpu_rules(const MachineShare& share, const WorkerSpec& spec) {
  return {.names = share.gpus.names,
          .real = share.gpus.real,
          .per_worker = spec.gpus_per_worker,
          .surplus = spec.gpu_surplus};
}

std::uint32_t threads_of_each(const MachineShare& share) {
  return std::max(1U, share.cpus / share.workers.count);
}

}  // namespace windrow
