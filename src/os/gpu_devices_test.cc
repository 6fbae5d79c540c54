// SPDX-License-Identifier: Apache-2.0
#include "os/gpu_devices.h"

#include <fstream>

#include <gtest/gtest.h>

#include "os/posix_file_system.h"
#include "os/run_program.h"

namespace windrow {
namespace {

// C330
TEST(GpuDevices, DeviceFilesOfGpusCountAndOthersDoNot) {
  const std::string dev = testing::TempDir() + "/windrow_gpu_devices_test";
  PosixFileSystem fs;
  ASSERT_TRUE(fs.make_casual_folders(dev));
  for (const char* name :
       {"nvidia0", "nvidia1", "nvidia12", "nvidiactl", "nvidia-uvm", "nvidia", "nvidia0x", "sda"}) {
    std::ofstream(dev + "/" + name) << "";
  }
  EXPECT_EQ(gpu_device_files(dev), 3U);
  EXPECT_EQ(gpu_device_files(dev + "/none"), 0U);
}

// C330
TEST(GpuDevices, MigLinesOfAListAreNoGpus) {
  EXPECT_EQ(gpus_listed("GPU 0: NVIDIA A100 (UUID: GPU-1)\n"
                        "  MIG 1g.5gb     Device  0: (UUID: MIG-2)\n"
                        "GPU 1: NVIDIA A100 (UUID: GPU-3)"),
            2U);
  EXPECT_EQ(gpus_listed("No devices found.\n"), 0U);
  EXPECT_EQ(gpus_listed(""), 0U);
}

TEST(RunProgram, GivesWhatAProgramWrites) {
  EXPECT_EQ(run_program({"echo", "a", "b c"}, std::chrono::seconds(30), 1000).value(), "a b c\n");
  EXPECT_EQ(run_program({"echo", "abcdef"}, std::chrono::seconds(30), 3).value(), "abc");
}

TEST(RunProgram, SaysWhyThereIsNothing) {
  const auto code = [](const std::vector<std::string>& argv, Duration limit) {
    const auto got = run_program(argv, limit, 1000);
    return got ? ErrorCode::kInternal : got.error().code;
  };
  EXPECT_EQ(code({"windrow-no-such-program"}, std::chrono::seconds(30)), ErrorCode::kNotFound);
  EXPECT_EQ(code({"false"}, std::chrono::seconds(30)), ErrorCode::kUnavailable);
  EXPECT_EQ(code({"sleep", "1000"}, std::chrono::milliseconds(1)), ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace windrow
