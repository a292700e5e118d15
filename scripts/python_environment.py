"""Packages from PyPI for scripts that need them, in an environment of their own outside the repository."""

import os
import subprocess
import sys
from pathlib import Path


def default_environment(name):
    """Where the environment of a script is without --environment."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "outrider" / name


def enter_environment(folder, packages, without=()):
    """Makes the environment, and runs this script again with its Python.
    @param packages  {part: requirements of pip}; a part is installed once, and again when its requirements change"""
    if Path(sys.prefix).resolve() == folder.resolve():
        return
    python = folder / "bin/python3"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    for part, requirements in packages.items():
        done = folder / f"{part}.installed"
        wanted = " ".join(requirements)
        if part in without or (done.exists() and done.read_text() == wanted):
            continue
        print(f"installing {wanted} in {folder}", file=sys.stderr)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *requirements], check=True)
        done.write_text(wanted)
    os.execv(python, [python, *sys.argv])
