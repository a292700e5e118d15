"""The processor that figures were measured on."""

import platform
from pathlib import Path


def processor_name():
    """As Linux calls it."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()
