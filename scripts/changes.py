"""Which files a change touches, for the scripts that check only those."""

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAIN_BRANCHES = ("origin/main", "main", "origin/master", "master")


def git(*arguments):
    """The output, or None where the command fails."""
    done = subprocess.run(["git", "-C", ROOT, *arguments], text=True, capture_output=True)
    return done.stdout.strip() if done.returncode == 0 else None


def head_commit():
    return git("rev-parse", "HEAD") or ""


def commit_of(program):
    """Of which commit one of our programs was built, with "-dirty" where files differed from it."""
    done = subprocess.run([program, "--version"], text=True, capture_output=True)
    found = re.search(r"commit (\S+)", done.stdout)
    return found[1] if found else ""


def commit_before():
    """Where this branch left main; on main itself the commit before; None in a clone that has neither."""
    for branch in MAIN_BRANCHES:
        base = git("merge-base", "HEAD", branch)
        if base is not None and base != head_commit():
            return base
    return git("rev-parse", "--verify", "--quiet", "HEAD~1")


def changed_files(commit=None):
    """The files that differ from a commit, uncommitted ones included; None if there is none to compare with."""
    commit = commit or commit_before()
    names = git("diff", "--name-only", commit) if commit else None
    if names is None:
        return None
    new = git("ls-files", "--others", "--exclude-standard") or ""
    return sorted({*names.splitlines(), *new.splitlines()} - {""})
