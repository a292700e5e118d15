"""A server on this machine, started and ended by scripts that load it."""

import os
import re
import socket
import subprocess
import time
import urllib.request
from pathlib import Path


class RunningServer:
    """@param command  without a port
    @param log      a file for what it says
    @param port     0: any that is free
    @param env      as for subprocess"""

    def __init__(self, command, log, port=0, env=None):
        self.log = Path(log)
        self.port = port or free_port()
        with open(self.log, "a") as file:
            self.process = subprocess.Popen([*command, "--port", str(self.port)], stdout=file, stderr=file, env=env)
        while not self.is_ready():
            if self.process.poll() is not None:
                raise RuntimeError(f"{command[0]} did not start: {self.log.read_text()[-2000:]}")
            time.sleep(0.05)

    def is_ready(self):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/health", timeout=60):
                return True
        except OSError:
            return False

    def resident_bytes(self):
        """Of its memory; 0 once it has ended."""
        try:
            found = re.search(r"VmRSS:\s*(\d+) kB", Path(f"/proc/{self.process.pid}/status").read_text())
        except OSError:
            return 0
        return 1024 * int(found[1]) if found else 0

    def end(self, signal, patience=120):
        """@return its exit status"""
        if self.process.poll() is None:
            self.process.send_signal(signal)
        return self.process.wait(patience)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def without_sleeping_threads():
    """The environment without what makes llama.cpp's threads sleep at its barriers, where it is three times as slow."""
    return {name: value for name, value in os.environ.items() if name not in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT")}
