"""Records: one run each, from files and folders."""

from __future__ import annotations

import gzip
import io
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Optional, Union

from ._plain import FormatError, made, text
from .answers import Answer, answer
from .histograms import Latencies
from .schema import Index, Record

#: The newest format of records that this package knows.
VERSION = 3

DIRECTIONS = ("read", "write", "total")


@dataclass
class Figures:
    """Headline figures of a time span in one direction. What wasn't measured is None."""

    #: From 1.
    time_span: int
    #: `read`, `write`, or `total`.
    direction: str
    #: Measured time, s.
    seconds: Optional[float]
    #: I/Os completed.
    ios: Optional[int]
    #: Bytes transferred.
    bytes: Optional[int]
    #: I/Os per second.
    iops: Optional[float]
    #: 2^20 bytes per second.
    mib_per_s: Optional[float]
    #: Latencies in ms (`-L`).
    mean_ms: Optional[float]
    min_ms: Optional[float]
    max_ms: Optional[float]
    std_dev_ms: Optional[float]
    p50_ms: Optional[float]
    p95_ms: Optional[float]
    p99_ms: Optional[float]
    p999_ms: Optional[float]
    #: Whether the devices did as much as the run counted.
    verdict: Optional[str]
    #: What was asked for; None = targets differ, or not recorded. Sizes in bytes, shares in percent.
    block_size: Optional[int]
    write_percent: Optional[int]
    random_percent: Optional[int]
    threads: Optional[int]
    #: I/Os in flight of all threads together.
    in_flight: Optional[int]
    #: The targets' paths, joined by commas.
    targets: str


class Run:
    """One run: its record, or of a history's list its index alone."""

    def __init__(self, document: Dict[str, Any], path: Optional[Path] = None, about: Optional[Dict[str, Any]] = None):
        self._document = document
        self._record: Optional[Record] = None
        #: Where it was read.
        self.path = path
        #: What people said about a run of the history: `label`, `tags`, `pinned`, ..; else empty.
        self.about: Dict[str, Any] = about or {}
        #: What a list of runs shows: identity, start, hosts, command line, figures by time span.
        self.index: Index = made("Index", document.get("index") or {}, "index")

    @property
    def record(self) -> Record:
        """All that is stored, as `docs/reference/record-fields.md` describes it; read when it is first asked for."""
        if self._record is None:
            if "hosts" not in self._document:
                self._document = _document(_bytes(self.path), str(self.path))
            self._record = made("Record", self._document)
        return self._record

    @property
    def id(self) -> Optional[str]:
        """Its id in the history; None = it is a file."""
        return self.path.name.split(".")[0] if self.about and self.path else None

    @property
    def label(self) -> Optional[str]:
        """What runs that repeat each other are called in the history."""
        return self.about.get("label")

    def figures(self) -> List[Figures]:
        """Headline figures: for each measured time span those of reads, of writes, and of both."""
        rows = []
        for number, span in enumerate((self._document.get("index") or {}).get("time_spans") or [], 1):
            if span is not None:
                rows.extend(_figures(number, span, direction) for direction in DIRECTIONS)
        return rows

    def intervals(self) -> List[Dict[str, Any]]:
        """The course of the run (`-D`): a row for each interval and direction. Times in ms, rates per second."""
        rows = []
        for number, span in enumerate(self.record.figures.time_spans or [], 1):
            for interval in (span.iops.intervals if span is not None and span.iops is not None else []):
                rows.extend(interval_rows(interval, number))
        return rows

    def percentiles(self) -> List[Dict[str, Any]]:
        """Latencies in ms (`-L`): a row for each of 108 percentiles, with those of reads, writes, and both."""
        whole = [float(percent) for percent in range(100)]
        percents = whole + [99.9, 99.99, 99.999, 99.9999, 99.99999, 99.999999, 99.9999999, 100.0]
        rows = []
        for number, span in enumerate(self.record.figures.time_spans or [], 1):
            if span is None or span.fine_percentiles is None:
                continue
            for percent, row in zip(percents, span.fine_percentiles.rows):
                rows.append({"time_span": number, "percent": percent,
                             **{f"{name}_ms": getattr(row, name) for name in DIRECTIONS}})
        return rows

    def targets(self) -> List[Dict[str, Any]]:
        """What each thread did on each target, by direction."""
        rows = []
        for number, span in enumerate(self.record.figures.time_spans or [], 1):
            for direction in DIRECTIONS if span is not None else ():
                for row in getattr(span, direction).rows:
                    throughput, latency = row.figures.throughput, row.figures.latency
                    rows.append({
                        "time_span": number, "direction": direction, "thread": row.thread, "path": row.path,
                        "size": row.size, "ios": throughput.ios, "bytes": throughput.bytes, "iops": throughput.iops,
                        "mib_per_s": throughput.mib_per_s, "mean_ms": latency.mean if latency else None,
                        "std_dev_ms": latency.std_dev if latency else None,
                    })
        return rows

    def findings(self) -> List[Dict[str, Any]]:
        """What was found about the figures, the worst first: name, severity, message, remedy."""
        found = self.record.judgement.findings if self.record.judgement else []
        return [{"name": one.name, "severity": one.severity, "time_span": one.time_span, "message": one.message,
                 "remedy": one.remedy} for one in found]

    def latencies(self, time_span: int = 1, direction: str = "total") -> Latencies:
        """All latencies of a time span (from 1), as a histogram in ns (`-L`). Of a run on several hosts all together."""
        if direction not in DIRECTIONS:
            raise ValueError(f"direction {direction!r} is none of {', '.join(DIRECTIONS)}")
        record = self.record
        host = record.merged.host if record.merged is not None else record.hosts[0]
        span = host.results.time_spans[time_span - 1]
        wanted = DIRECTIONS[:2] if direction == "total" else (direction,)
        all_of_it = Latencies()
        places = [span.merged] if span.merged is not None else [t for thread in span.threads for t in thread.targets]
        for place in places:
            for name in wanted:
                done = getattr(place, name)
                if done is not None and done.latency is not None:
                    all_of_it.add(Latencies.unpacked(done.latency))
        return all_of_it

    def to_pandas(self, what: str = "figures"):
        """A DataFrame: `figures`, `intervals`, `percentiles`, `targets`, or `findings`."""
        return Runs([self]).to_pandas(what)

    def __repr__(self) -> str:
        return f"<diskspd.Run {self.path or self.index.identity}>"


class Runs(List[Run]):
    """Several runs, in order."""

    def to_pandas(self, what: str = "figures"):
        """A DataFrame of all of them; `run` tells them apart, `started_at` is when each began (UTC)."""
        if what not in ("figures", "intervals", "percentiles", "targets", "findings"):
            raise ValueError(f"{what!r} is none of figures, intervals, percentiles, targets, findings")
        pandas = _pandas()
        rows = []
        for number, run in enumerate(self):
            name = run.id or (str(run.path) if run.path else str(number + 1))
            head = {"run": name, "label": run.label, "started_at": run.index.started_at,
                    "host": ", ".join(run.index.hosts or [])}
            for row in getattr(run, what)():
                rows.append({**head, **(row if isinstance(row, dict) else asdict(row))})
        frame = pandas.DataFrame(rows)
        if "started_at" in frame:
            frame["started_at"] = pandas.to_datetime(frame["started_at"], unit="s", utc=True)
        return frame


def read(path: Union[str, os.PathLike]) -> Union[Run, Answer]:
    """Reads a record (`run.json`, `run.json.gz`), or the JSON of a repetition, a sweep or a comparison.

    Raises FormatError where it is none of these, is cut off, or was written by a newer version; OSError as `open` does.
    """
    path = Path(path)
    content = _bytes(path)
    if b'"diskspd' in content[:200] and b'"diskspd-record"' not in content[:200]:
        try:
            found = answer(json.loads(content), path)
        except ValueError as error:
            raise error if isinstance(error, FormatError) else FormatError(f"{path}: {error}") from None
        if found is not None:
            return found
    return _run(content, path)


def _run(content: bytes, path: Path) -> Run:
    return Run(_document(content, str(path)), path)


def read_all(paths: Union[str, os.PathLike, Iterable[Union[str, os.PathLike]]]) -> Runs:
    """Reads several records, of one path or a list; of folders all records that lie in them, in order of their names.

    The file of a repetition (`--repeat 5 --out r.json`) stands for the records of its runs, each once: `r*.json` has
    every run once. JSON that is no record is left out in folders, and is an error where it was named. A folder without
    a record is a FormatError.
    """
    runs = Runs()
    paths = [Path(os.fsdecode(path)) for path in ([paths] if isinstance(paths, (str, bytes, os.PathLike)) else paths)]
    records = {path: _records(path) for path in paths}
    repeated = {record.resolve() for found in records.values() for record in found or ()}
    for path in paths:
        if records[path] is not None:
            runs.extend(_run(_bytes(record), record) for record in records[path])
            continue
        if path.resolve() in repeated or _is_left_over(path, records):
            continue
        if not path.is_dir():
            runs.append(_run(_bytes(path), path))
            continue
        found = Runs()
        entries = [entry for entry in sorted(path.iterdir()) if entry.name.endswith((".json", ".json.gz"))]
        answers = {entry: _records_or_none(entry) for entry in entries}
        for entry in entries:
            if not entry.is_file() or _is_left_over(entry, answers):
                continue
            try:
                found.append(_run(_bytes(entry), entry))
            except FormatError:
                continue
        if not found:
            raise FormatError(f"{path}: this folder holds no record")
        runs.extend(found)
    return runs


def _records_or_none(path: Path) -> Optional[List[Path]]:
    try:
        return _records(path)
    except (FormatError, OSError):
        return None


def _is_left_over(path: Path, records: Dict[Path, Optional[List[Path]]]) -> bool:
    """Whether a record is of an earlier, longer repetition of the same name."""
    stem, _, number = path.stem.rpartition("-")
    found = records.get(path.with_name(stem + path.suffix)) if stem and number.isdigit() else None
    return found is not None and int(number) > len(found)


def _records(path: Path) -> Optional[List[Path]]:
    """The records of the runs of a repetition; None = the file is no repetition."""
    if path.is_dir() or path.name.endswith(".gz"):
        return None
    with open(path, "rb") as file:
        if b'"diskspd repetition"' not in file.read(200):
            return None
    try:
        runs = json.loads(path.read_bytes())["runs"]
        return [path.with_name(run["file"]) for run in runs]
    except (KeyError, TypeError, ValueError):
        raise FormatError(f"{path}: a repetition without records: write them with --out FILE.json") from None


def read_index(path: Union[str, os.PathLike]) -> Run:
    """Reads what a list of runs shows, from the first line alone; the rest is read when it is asked for."""
    path = Path(path)
    with _opened(path) as file:
        try:
            first = file.readline()
        except (EOFError, gzip.BadGzipFile, OSError) as error:
            raise FormatError(f"{path}: can't be unpacked: {error}") from None
    try:
        document = json.loads(first.rstrip() + b"}")
    except ValueError:
        # A record that another program wrote anew, in another layout.
        return _run(_bytes(path), path)
    _check(document, str(path))
    return Run(document, path)


def interval_rows(interval: Any, time_span: int) -> Iterator[Dict[str, Any]]:
    """The rows of one interval: reads, writes, and both, which alone have percentiles."""
    for direction in DIRECTIONS:
        done = getattr(interval, direction)
        latency = done.latency
        percentiles = interval.percentiles if direction == "total" else None
        yield {
            "time_span": time_span, "end_ms": interval.end_ms, "interval_began_ms": interval.started_at,
            "direction": direction, "ios": done.ios, "iops": done.iops, "mib_per_s": done.mib_per_s,
            "min_ms": latency.min if latency else None, "mean_ms": latency.mean if latency else None,
            "max_ms": latency.max if latency else None,
            **{f"{name}_ms": getattr(percentiles, name) if percentiles else None
               for name in ("p50", "p95", "p99", "p999")},
            "partial_s": interval.partial_s,
        }


def _figures(number: int, span: Dict[str, Any], direction: str) -> Figures:
    done = span.get(direction) or {}
    parameters = span.get("parameters") or {}
    groups = parameters.get("targets") or []

    def percentile(percent: float) -> Optional[float]:
        return next((row.get(direction) for row in span.get("percentiles") or [] if row.get("percent") == percent), None)

    def access(name: str) -> Optional[int]:
        values = {(group.get("access") or {}).get(name) for group in groups}
        return values.pop() if len(values) == 1 else None

    paths = [text(path) for group in groups for path in group.get("paths") or []]
    plain = {name: done.get(name) for name in
             ("ios", "bytes", "iops", "mib_per_s", "mean_ms", "min_ms", "max_ms", "std_dev_ms")}
    return Figures(
        time_span=number, direction=direction, seconds=span.get("seconds"), verdict=span.get("verdict"),
        p50_ms=percentile(50), p95_ms=percentile(95), p99_ms=percentile(99), p999_ms=percentile(99.9),
        block_size=access("block_size"), write_percent=access("write_percent"), random_percent=access("random_percent"),
        threads=parameters.get("threads"), in_flight=parameters.get("in_flight"), targets=", ".join(paths), **plain,
    )


def _opened(path: Path):
    return gzip.open(path, "rb") if path.name.endswith(".gz") else open(path, "rb")


def _bytes(path: Path) -> bytes:
    with _opened(path) as file:
        try:
            return file.read()
        except (EOFError, gzip.BadGzipFile) as error:
            raise FormatError(f"{path}: can't be unpacked: {error}") from None


def _document(content: bytes, name: str) -> Dict[str, Any]:
    try:
        document = json.load(io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{name}: not a record: {error}") from None
    _check(document, name)
    if "hosts" not in document:
        raise FormatError(f"{name}: not a record: hosts are missing")
    return document


def _check(document: Any, name: str) -> None:
    form = document.get("format") if isinstance(document, dict) else None
    if not isinstance(form, dict) or form.get("name") != "diskspd-record":
        raise FormatError(f"{name}: not a record of diskspd: make one with --out run.json")
    version = form.get("version")
    if not isinstance(version, int) or version > VERSION:
        raise FormatError(f"{name}: a record of format {version}, and this package knows {VERSION} at most: update it")
    if version < VERSION:
        raise FormatError(f"{name}: a record of format {version}, from before the first release: measure again")
    if not isinstance(document.get("index") or {}, dict):
        raise FormatError(f"{name}: not a record: its index is no object")


def _pandas():
    try:
        import pandas
    except ImportError:
        raise ImportError("to_pandas() needs pandas: pip install pandas") from None
    return pandas
