"""Answers made of many runs: repetitions, sweeps and comparisons, as the program writes them in JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Dict, List, Optional

from ._plain import FormatError


class Answer:
    """An answer made of many runs. `rows()` has its table, `document` everything."""

    #: Name in the file, and the versions that this package knows.
    NAME = ""
    VERSIONS = ()

    def __init__(self, document: Dict[str, Any], path: Optional[Path] = None):
        #: The content of the file.
        self.document = document
        #: The place of the file.
        self.path = path
        version = document["format"].get("version")
        if version not in self.VERSIONS:
            known = self.VERSIONS[-1]
            raise FormatError(f"{path}: '{self.NAME}' has version {version}, this package reads version {known}")

    def rows(self) -> List[Dict[str, Any]]:
        """The table of the answer."""
        raise NotImplementedError

    def to_pandas(self):
        """A DataFrame of `rows()`."""
        import pandas

        return pandas.DataFrame(self.rows())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.path}>"


def _line(line: Dict[str, Any]) -> Dict[str, Any]:
    """The figures of one run."""
    latency = line.get("response") or line.get("latency") or {}
    return {
        "iops": line.get("iops"),
        "mib_per_s": line.get("mib_per_s"),
        "mean_ms": latency.get("mean_ms"),
        "p99_ms": latency.get("p99_ms"),
        "p999_ms": latency.get("p999_ms"),
        "cpu_percent": line.get("cpu"),
        "verdict": line.get("verdict"),
        "severity": line.get("severity"),
    }


class Repetition(Answer):
    """Runs of the same work (`--repeat 5 --out r.json`): a row for each run."""

    NAME = "diskspd repetition"
    VERSIONS = (2,)

    @property
    def figures(self) -> Dict[str, Dict[str, Any]]:
        """The means with their 95 % intervals, by name: `figures["iops"]["mean"]`."""
        return self.document["figures"]

    def rows(self) -> List[Dict[str, Any]]:
        """Number, seed, file and figures of each run."""
        runs = self.document["runs"]
        about = ("number", "seed", "file")
        return [{**{name: run.get(name) for name in about}, **_line(run["figures"])} for run in runs]


class Sweep(Answer):
    """A sweep (`diskspd sweep --json s.json`): a row for each run of each point."""

    NAME = "diskspd sweep"
    VERSIONS = (4,)

    def rows(self) -> List[Dict[str, Any]]:
        """Point, options, load, threads and figures of each run."""
        rows = []
        for place, point in enumerate(self.document["points"]):
            options = {setting["option"].lstrip("-"): setting["value"] for setting in point["settings"]}
            for number, line in enumerate(point["runs"], 1):
                about = {"point": place, "run": number, "load": point["load"], "threads": point["threads"]}
                rows.append({**options, **about, **_line(line)})
        return rows


class Comparison(Answer):
    """A comparison (`diskspd compare --json c.json`): a row for each figure of each time span."""

    NAME = "diskspd-comparison"
    VERSIONS = (3, 4)

    def rows(self) -> List[Dict[str, Any]]:
        """Workload, figure, medians of both sides, change, interval and verdict."""
        rows = []
        workloads = self.document["workloads"]
        kept = ("change_percent", "low_percent", "high_percent", "confidence_percent", "p_value", "verdict")
        for span in self.document["time_spans"]:
            for figure in span["metrics"] + span.get("parts", []):
                a, b = (side["median"] for side in figure["sides"]) if figure["sides"] else (None, None)
                about = {"workload": workloads[span["workload"] - 1]["name"], "time_span": span["time_span"],
                         "figure": figure["metric"], "a_median": a, "b_median": b}
                rows.append({**about, **{name: figure[name] for name in kept}})
        return rows


KINDS = {kind.NAME: kind for kind in (Repetition, Sweep, Comparison)}


def answer(document: Any, path: Path) -> Optional[Answer]:
    """The answer in a document; None = it is something else."""
    form = document.get("format") if isinstance(document, dict) else None
    kind = KINDS.get(form.get("name")) if isinstance(form, dict) else None
    if kind is None:
        return None
    made = kind(document, path)
    try:
        made.rows()
    except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
        raise FormatError(f"{path}: '{kind.NAME}' is damaged: {error!r}") from None
    return made
