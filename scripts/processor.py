"""The processor that figures were measured on."""

import platform
import subprocess
from pathlib import Path


def processor_name():
    """As Linux calls it, with the family and model by which processors of one name differ."""
    found = {}
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        key, _, value = line.partition(":")
        found.setdefault(key.strip(), value.strip())
    name = found.get("model name", platform.machine())
    return f"{name} (family {found['cpu family']}, model {found['model']})" if {"cpu family", "model"} <= found.keys() else name


def physical_cores():
    """How many cores this process may use, those of one core counted once."""
    lines = subprocess.run(["lscpu", "-b", "-p=Core,Socket"], capture_output=True, text=True, check=True).stdout.splitlines()
    return len({line for line in lines if not line.startswith("#")})
