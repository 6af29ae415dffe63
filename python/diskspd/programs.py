"""Runs the program and reads its records."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from pathlib import Path
from typing import List, Optional, Sequence, Union

from .runs import Run, Runs, read_all

Options = Union[str, Sequence[str]]
Target = Union[str, os.PathLike]

#: Exit codes of the program.
RUN_FAILED, DOUBTFUL, USAGE, CORRUPT, OUTAGE = 1, 2, 3, 4, 5


class RunError(RuntimeError):
    """The program failed, or (`--strict`, `--verify`, `--fail-on-outage`) judged the run. The text is its own message."""

    def __init__(self, message: str, exit_code: int, command: List[str], runs: Runs):
        super().__init__(message)
        #: The program's exit code; negative = the signal that ended it.
        self.exit_code = exit_code
        #: The command line.
        self.command = command
        #: The measured runs; empty = there are none.
        self.runs = runs


def run(options: Options = "", target: Union[None, Target, Sequence[Target]] = None, *,
        program: Target = "diskspd", timeout: Optional[float] = None) -> Run:
    """Makes a run and reads its record, as `read` does: `diskspd.run("-b4K -r -d10", target="test.dat")`.

    `options` is a line as typed in a shell, or a list of words. `target` is a file or device, or several; None = the
    options name the work (`-X`, `--fio`). `timeout` in seconds. Raises RunError with the program's message, OSError
    where it cannot be started, and subprocess.TimeoutExpired.
    """
    runs = _runs([], options, target, program, timeout)
    if len(runs) != 1:
        raise ValueError("run makes one run; for --repeat use diskspd.repeat")
    return runs[0]


def repeat(options: Options = "", target: Union[None, Target, Sequence[Target]] = None, *, times: int = 5,
           program: Target = "diskspd", timeout: Optional[float] = None) -> Runs:
    """Makes a run several times (`--repeat`); as `run`, but with all runs in their order."""
    return _runs(["--repeat", str(times)], options, target, program, timeout)


def sweep(options: Options, target: Union[None, Target, Sequence[Target]] = None, *,
          program: Target = "diskspd", timeout: Optional[float] = None) -> Runs:
    """Makes the runs of a sweep, in their order: `diskspd.sweep("-o1..32 -b4K -r -d3", target="test.dat")`.

    Arguments and errors are those of `run`.
    """
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "points"
        command = [os.fspath(program), "sweep", "--quiet", "--dir", str(kept), *_words(options), *_targets(target)]
        records = kept / "records"
        return _ended(command, timeout, lambda: read_all([records]) if records.is_dir() else Runs())


def _runs(own: List[str], options: Options, target, program: Target, timeout: Optional[float]) -> Runs:
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "run.json"
        # Options of the caller stay before the targets, and a command (`fio`, `rerun`) in front.
        words = _words(options)
        command = words[:1] if words and not words[0].startswith("-") else []
        rest = words[len(command):]
        line = [os.fspath(program), *command, *own, "--quiet", "--out", str(record), *rest, *_targets(target)]
        return _ended(line, timeout, lambda: read_all([record]) if record.exists() else Runs())


def _words(options: Options) -> List[str]:
    return shlex.split(options) if isinstance(options, str) else list(options)


def _targets(target) -> List[str]:
    if target is None:
        return []
    targets = [target] if isinstance(target, (str, bytes, os.PathLike)) else target
    # A name that begins with a dash is not an option.
    return [f"./{name}" if name.startswith("-") else name for name in map(os.fsdecode, targets)]


def _ended(command: List[str], timeout: Optional[float], made) -> Runs:
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                           timeout=timeout)
    try:
        runs = made()
    except (OSError, ValueError):
        # A failed program leaves empty or damaged files.
        if ended.returncode == 0:
            raise
        runs = Runs()
    for run_of_all in runs:
        # The files are gone when this returns; all of them were read.
        run_of_all.path = None
    message = ended.stderr.decode("utf-8", "replace").strip()
    if ended.returncode != 0:
        raise RunError(message or f"exit code {ended.returncode}", ended.returncode, command, runs)
    if not runs:
        raise RunError(message or "the program wrote no record", ended.returncode, command, runs)
    return runs
