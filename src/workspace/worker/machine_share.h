// SPDX-License-Identifier: Apache-2.0
//
// What a job takes of this machine: GPUs, CPUs, workers.
//
// Thread: any; blocks while the driver is asked. Failure: none; what is not found is not there.
#pragma once

#include <cstdint>

#include "core/spec/job_spec.h"
#include "core/supervise/gpu_slots.h"

namespace windrow {

// Tells workers, and is told by the user, how many GPUs there are.
inline constexpr const char* kGpuCountVariable = "AZ_BATCHAI_GPU_COUNT_FOUND";

struct MachineShare {
  GpuSet gpus;
  std::uint32_t cpus = 1;
  WorkerCount workers;
};

// The job's own variables count as if they were inherited.
MachineShare share_of_machine(const JobSpec& spec);

GpuRules gpu_rules(const MachineShare& share, const WorkerSpec& spec);

// For the numeric libraries of one worker.
std::uint32_t threads_of_each(const MachineShare& share);

}  // namespace windrow
