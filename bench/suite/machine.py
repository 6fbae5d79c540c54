# SPDX-License-Identifier: Apache-2.0
"""What the numbers were taken on."""

import os
import platform
import sys


def describe():
    return {
        "cores": len(os.sched_getaffinity(0)),
        "processor": field("/proc/cpuinfo", "model name"),
        "memory_gib": round(int(field("/proc/meminfo", "MemTotal").split()[0]) / 2**20, 1),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "load_at_start": os.getloadavg()[0],
    }


def field(path, name):
    with open(path) as file:
        for line in file:
            key, _, value = line.partition(":")
            if key.strip() == name:
                return value.strip()
    return "unknown"


def interpreter():
    """The python that floor, entry scripts and peers are all run with."""
    return sys.executable


def peak_memory(pid):
    """The largest resident set of a running process so far, in bytes; 0 once it is gone."""
    try:
        return int(field(f"/proc/{pid}/status", "VmHWM").split()[0]) * 1024
    except (OSError, ValueError):
        return 0


def processor_seconds(pid):
    """User and system time of a running process by itself, without its children."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
