"""What records and streams hold, as dataclasses.

Made by tools/generate.py of docs/reference/record.schema.json and docs/reference/stream.schema.json: change those, not this. What each
field means is in docs/reference/record-fields.md. Fields that older programs didn't write are None.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Union


@dataclass
class Average:
    """At `figures.time_span.cpu.average`, and 1 more."""

    idle: float = field(default=None)
    kernel: float = field(default=None)
    usage: float = field(default=None)
    user: float = field(default=None)


@dataclass
class Columns:
    """At `figures.time_span.cpu.columns`."""

    class_: bool = field(default=None, metadata={'key': 'class'})
    core: bool = field(default=None)
    group: bool = field(default=None)
    node: bool = field(default=None)
    socket: bool = field(default=None)


@dataclass
class Row:
    """At `figures.time_span.cpu.row`."""

    class_: int = field(default=None, metadata={'key': 'class'})
    core: int = field(default=None)
    cpu: int = field(default=None)
    group: int = field(default=None)
    node: int = field(default=None)
    performance: bool = field(default=None)
    socket: int = field(default=None)
    usage: Average = field(default=None, metadata={'of': 'Average'})


@dataclass
class Cpu:
    """At `figures.time_span.cpu`."""

    average: Average = field(default=None, metadata={'of': 'Average'})
    columns: Columns = field(default=None, metadata={'of': 'Columns'})
    rows: List[Row] = field(default=None, metadata={'of': 'Row', 'depth': 1})


@dataclass
class TotalLatency:
    """At `figures.time_span.read.total.latency`, and 5 more."""

    mean: Optional[float] = field(default=None)
    std_dev: Optional[float] = field(default=None)


@dataclass
class Throughput:
    """At `figures.totals.read`, and 16 more."""

    bytes: Optional[int] = field(default=None)  # bytes
    iops: Optional[float] = field(default=None)  # I/Os per second
    iops_std_dev: Optional[float] = field(default=None)  # I/Os per second
    ios: Optional[int] = field(default=None)
    max_ms: Optional[float] = field(default=None)  # ms
    mean_ms: Optional[float] = field(default=None)  # ms
    mib_per_s: Optional[float] = field(default=None)  # 2^20 bytes per second
    min_ms: Optional[float] = field(default=None)  # ms
    nowait_misses: Optional[int] = field(default=None)
    std_dev_ms: Optional[float] = field(default=None)  # ms


@dataclass
class Total:
    """At `figures.time_span.read.total`, and 11 more."""

    bytes: Optional[int] = field(default=None)  # bytes
    discards: Optional[int] = field(default=None)
    flushes: Optional[int] = field(default=None)
    iops_std_dev: Optional[float] = field(default=None)  # I/Os per second
    latency: Optional[TotalLatency] = field(default=None, metadata={'of': 'TotalLatency'})
    max: Optional[float] = field(default=None)
    mean: Optional[float] = field(default=None)
    median: Optional[float] = field(default=None)
    p99: Optional[float] = field(default=None)
    p999: Optional[float] = field(default=None)
    per_s: Optional[float] = field(default=None)  # per second
    throughput: Optional[Throughput] = field(default=None, metadata={'of': 'Throughput'})
    write_zeroes: Optional[int] = field(default=None)


@dataclass
class DiscardsRow:
    """At `figures.time_span.read.row`, and 5 more."""

    figures: Total = field(default=None, metadata={'of': 'Total'})
    path: str = field(default=None, metadata={'of': 'text'})
    thread: int = field(default=None)
    size: Optional[int] = field(default=None)


@dataclass
class Discards:
    """At `figures.time_span.discards`."""

    rows: List[DiscardsRow] = field(default=None, metadata={'of': 'DiscardsRow', 'depth': 1})
    total: Total = field(default=None, metadata={'of': 'Total'})


@dataclass
class Range:
    """At `figures.time_span.distribution.range`, and 2 more."""

    io_base: int = field(default=None)
    io_span: int = field(default=None)
    length: int = field(default=None)
    start: int = field(default=None)


@dataclass
class User:
    """At `figures.time_span.distribution.user`."""

    path: str = field(default=None, metadata={'of': 'text'})
    threads: List[int] = field(default=None, metadata={'depth': 1})


@dataclass
class Distribution:
    """At `figures.time_span.distribution`."""

    ranges: List[Range] = field(default=None, metadata={'of': 'Range', 'depth': 1})
    users: List[User] = field(default=None, metadata={'of': 'User', 'depth': 1})


@dataclass
class Percentile:
    """At `index.time_span.percentile`, and 19 more."""

    percent: Optional[float] = field(default=None)  # percent
    read: Optional[float] = field(default=None)
    total: Optional[float] = field(default=None)
    write: Optional[float] = field(default=None)


@dataclass
class FinePercentiles:
    """At `figures.time_span.fine_percentiles`."""

    distinct_reads: int = field(default=None)
    distinct_total: int = field(default=None)
    distinct_writes: int = field(default=None)
    rows: List[Percentile] = field(default=None, metadata={'of': 'Percentile', 'depth': 1})


@dataclass
class Flushes:
    """At `figures.time_span.flushes`."""

    rows: List[DiscardsRow] = field(default=None, metadata={'of': 'DiscardsRow', 'depth': 1})
    total: Total = field(default=None, metadata={'of': 'Total'})


@dataclass
class Failed:
    """At `figures.time_span.integrity.row.results.failed`, and 1 more."""

    corrupt: int = field(default=None)
    foreign: int = field(default=None)
    lost: int = field(default=None)
    misplaced: int = field(default=None)
    not_atomic: int = field(default=None)
    stale: int = field(default=None)
    torn: int = field(default=None)
    unreadable: int = field(default=None)
    unwritten: int = field(default=None)


@dataclass
class Found:
    """At `figures.time_span.integrity.row.results.failure.found`, and 1 more."""

    generation: int = field(default=None)
    of_this_run: bool = field(default=None)
    offset: int = field(default=None)
    target: int = field(default=None)
    write: int = field(default=None)
    writer: int = field(default=None)


@dataclass
class Failure:
    """At `figures.time_span.integrity.row.results.failure`, and 1 more."""

    at_us: int = field(default=None)  # us
    expected: int = field(default=None)
    fault: str = field(default=None)
    offset: int = field(default=None)
    found: Optional[Found] = field(default=None, metadata={'of': 'Found'})


@dataclass
class Results:
    """At `figures.time_span.integrity.row.results`, and 1 more."""

    acknowledged: int = field(default=None)
    failed: Failed = field(default=None, metadata={'of': 'Failed'})
    failures: List[Failure] = field(default=None, metadata={'of': 'Failure', 'depth': 1})
    stamped: int = field(default=None)
    stamped_as: int = field(default=None)
    undecided: int = field(default=None)
    unknown: int = field(default=None)
    verified: int = field(default=None)


@dataclass
class IntegrityRow:
    """At `figures.time_span.integrity.row`."""

    path: str = field(default=None)
    results: Results = field(default=None, metadata={'of': 'Results'})
    target: int = field(default=None)


@dataclass
class Integrity:
    """At `figures.time_span.integrity`."""

    rows: List[IntegrityRow] = field(default=None, metadata={'of': 'IntegrityRow', 'depth': 1})


@dataclass
class Percentiles:
    """At `percentiles`, and 1 more."""

    p50: float = field(default=None)
    p95: float = field(default=None)
    p99: float = field(default=None)
    p999: float = field(default=None)


@dataclass
class Latency:
    """At `read.latency`, and 5 more."""

    max: float = field(default=None)
    mean: float = field(default=None)
    min: float = field(default=None)
    std_dev: float = field(default=None)


@dataclass
class Read:
    """At `read`, and 5 more."""

    iops: float = field(default=None)  # I/Os per second
    ios: int = field(default=None)
    latency: Optional[Latency] = field(default=None, metadata={'of': 'Latency'})
    mib_per_s: Optional[float] = field(default=None)  # 2^20 bytes per second


@dataclass
class Response:
    """At `response`, and 1 more."""

    max: float = field(default=None)
    p50: float = field(default=None)
    p95: float = field(default=None)
    p99: float = field(default=None)
    p999: float = field(default=None)


@dataclass
class Interval:
    """At `figures.time_span.iops.interval`."""

    end_ms: int = field(default=None)  # ms
    failed: int = field(default=None)
    read: Read = field(default=None, metadata={'of': 'Read'})
    total: Read = field(default=None, metadata={'of': 'Read'})
    write: Read = field(default=None, metadata={'of': 'Read'})
    partial_s: Optional[float] = field(default=None)  # s
    percentiles: Optional[Percentiles] = field(default=None, metadata={'of': 'Percentiles'})
    response: Optional[Response] = field(default=None, metadata={'of': 'Response'})
    started_at: Optional[int] = field(default=None)


@dataclass
class Iops:
    """At `figures.time_span.iops`."""

    interval_count: int = field(default=None)
    intervals: List[Interval] = field(default=None, metadata={'of': 'Interval', 'depth': 1})
    weighted_std_devs: Percentile = field(default=None, metadata={'of': 'Percentile'})
    read_std_dev: Optional[float] = field(default=None)
    total_std_dev: Optional[float] = field(default=None)
    write_std_dev: Optional[float] = field(default=None)


@dataclass
class All:
    """At `figures.time_span.latency.all`, and 3 more."""

    max: Percentile = field(default=None, metadata={'of': 'Percentile'})
    min: Percentile = field(default=None, metadata={'of': 'Percentile'})
    percentiles: List[Percentile] = field(default=None, metadata={'of': 'Percentile', 'depth': 1})


@dataclass
class Path:
    """At `figures.time_span.latency.path`."""

    chart: All = field(default=None, metadata={'of': 'All'})
    path: str = field(default=None, metadata={'of': 'text'})


@dataclass
class TimeSpanLatency:
    """At `figures.time_span.latency`."""

    all: All = field(default=None, metadata={'of': 'All'})
    paths: List[Path] = field(default=None, metadata={'of': 'Path', 'depth': 1})


@dataclass
class Write:
    """At `figures.time_span.nowait.row.read`, and 3 more."""

    ios: int = field(default=None)
    misses: int = field(default=None)
    percent: Optional[float] = field(default=None)  # percent


@dataclass
class NowaitRow:
    """At `figures.time_span.nowait.row`."""

    path: str = field(default=None)
    read: Write = field(default=None, metadata={'of': 'Write'})
    thread: int = field(default=None)
    write: Write = field(default=None, metadata={'of': 'Write'})


@dataclass
class NowaitTotal:
    """At `figures.time_span.nowait.total`."""

    read: Write = field(default=None, metadata={'of': 'Write'})
    write: Write = field(default=None, metadata={'of': 'Write'})


@dataclass
class Nowait:
    """At `figures.time_span.nowait`."""

    rows: List[NowaitRow] = field(default=None, metadata={'of': 'NowaitRow', 'depth': 1})
    total: NowaitTotal = field(default=None, metadata={'of': 'NowaitTotal'})


@dataclass
class ResponseRead:
    """At `figures.time_span.paced.service.read`, and 1 more."""

    mean: Optional[float] = field(default=None)
    std_dev: Optional[float] = field(default=None)


@dataclass
class ResponseTotal:
    """At `figures.time_span.paced.service.total`, and 1 more."""

    mean: Optional[float] = field(default=None)
    std_dev: Optional[float] = field(default=None)


@dataclass
class ResponseWrite:
    """At `figures.time_span.paced.service.write`, and 1 more."""

    mean: Optional[float] = field(default=None)
    std_dev: Optional[float] = field(default=None)


@dataclass
class Service:
    """At `figures.time_span.paced.service`, and 1 more."""

    chart: All = field(default=None, metadata={'of': 'All'})
    read: ResponseRead = field(default=None, metadata={'of': 'ResponseRead'})
    total: ResponseTotal = field(default=None, metadata={'of': 'ResponseTotal'})
    write: ResponseWrite = field(default=None, metadata={'of': 'ResponseWrite'})


@dataclass
class Paced:
    """At `figures.time_span.paced`."""

    iops: float = field(default=None)  # I/Os per second
    ios: int = field(default=None)
    late_starts: int = field(default=None)
    not_submitted: int = field(default=None)
    offered_iops: float = field(default=None)  # I/Os per second
    later_than: Optional[List[int]] = field(default=None, metadata={'depth': 1})
    max_delay: Optional[float] = field(default=None)
    max_not_submitted_delay: Optional[float] = field(default=None)
    mean_delay: Optional[float] = field(default=None)
    response: Optional[Service] = field(default=None, metadata={'of': 'Service'})
    service: Optional[Service] = field(default=None, metadata={'of': 'Service'})


@dataclass
class TimeSpanRead:
    """At `figures.time_span.read`."""

    rows: List[DiscardsRow] = field(default=None, metadata={'of': 'DiscardsRow', 'depth': 1})
    total: Total = field(default=None, metadata={'of': 'Total'})


@dataclass
class TimeSpanTotal:
    """At `figures.time_span.total`."""

    rows: List[DiscardsRow] = field(default=None, metadata={'of': 'DiscardsRow', 'depth': 1})
    total: Total = field(default=None, metadata={'of': 'Total'})


@dataclass
class Count:
    """At `figures.time_span.trace.count`, and 1 more."""

    event: str = field(default=None)
    count: Optional[int] = field(default=None)
    reason: Optional[str] = field(default=None)


@dataclass
class Moments:
    """At `host.results.time_span.thread.target.flushes.moments`, and 36 more."""

    count: int = field(default=None)
    max: int = field(default=None)
    min: int = field(default=None)
    squares: str = field(default=None)
    sum: str = field(default=None)


@dataclass
class ReadTimes:
    """At `host.results.time_span.observed.trace.device.read.times`, and 1 more."""

    packed: str = field(default=None)
    moments: Optional[Moments] = field(default=None, metadata={'of': 'Moments'})


@dataclass
class DeviceRead:
    """At `figures.time_span.trace.device.read`, and 3 more."""

    requests: int = field(default=None)
    mean: Optional[float] = field(default=None)
    median: Optional[float] = field(default=None)
    own: Optional[float] = field(default=None)
    p99: Optional[float] = field(default=None)
    timed: Optional[int] = field(default=None)
    times: Optional[ReadTimes] = field(default=None, metadata={'of': 'ReadTimes'})


@dataclass
class Device:
    """At `figures.time_span.trace.device`, and 1 more."""

    device: str = field(default=None)
    read: DeviceRead = field(default=None, metadata={'of': 'DeviceRead'})
    write: DeviceRead = field(default=None, metadata={'of': 'DeviceRead'})
    flushes: Optional[int] = field(default=None)
    reason: Optional[str] = field(default=None)
    targets: Optional[List[int]] = field(default=None, metadata={'depth': 1})


@dataclass
class Session:
    """At `figures.time_span.trace.session`, and 1 more."""

    buffer_kib: int = field(default=None)
    buffers: int = field(default=None)
    clock: str = field(default=None)
    lost_events: int = field(default=None)
    read: int = field(default=None)


@dataclass
class Trace:
    """At `figures.time_span.trace`, and 1 more."""

    counts: List[Count] = field(default=None, metadata={'of': 'Count', 'depth': 1})
    session: Session = field(default=None, metadata={'of': 'Session'})
    devices: Optional[List[Device]] = field(default=None, metadata={'of': 'Device', 'depth': 1})


@dataclass
class Waits:
    """At `figures.time_span.wait.waits`, and 2 more."""

    completion_waits: int = field(default=None)
    lookaside_completions: List[int] = field(default=None, metadata={'depth': 1})
    lookasides: int = field(default=None)
    throttle_sleeps: int = field(default=None)
    throttle_waits: int = field(default=None)


@dataclass
class Wait:
    """At `figures.time_span.wait`."""

    thread: int = field(default=None)
    waits: Waits = field(default=None, metadata={'of': 'Waits'})


@dataclass
class TimeSpanWrite:
    """At `figures.time_span.write`."""

    rows: List[DiscardsRow] = field(default=None, metadata={'of': 'DiscardsRow', 'depth': 1})
    total: Total = field(default=None, metadata={'of': 'Total'})


@dataclass
class WriteZeroes:
    """At `figures.time_span.write_zeroes`."""

    rows: List[DiscardsRow] = field(default=None, metadata={'of': 'DiscardsRow', 'depth': 1})
    total: Total = field(default=None, metadata={'of': 'Total'})


@dataclass
class TimeSpan:
    """At `figures.time_span`."""

    cpu: Cpu = field(default=None, metadata={'of': 'Cpu'})
    distributions: List[Distribution] = field(default=None, metadata={'of': 'Distribution', 'depth': 1})
    failed: int = field(default=None)
    floating_pool: bool = field(default=None)
    read: TimeSpanRead = field(default=None, metadata={'of': 'TimeSpanRead'})
    request_count: int = field(default=None)
    seconds: float = field(default=None)  # s
    thread_count: int = field(default=None)
    total: TimeSpanTotal = field(default=None, metadata={'of': 'TimeSpanTotal'})
    waits: List[Wait] = field(default=None, metadata={'of': 'Wait', 'depth': 1})
    write: TimeSpanWrite = field(default=None, metadata={'of': 'TimeSpanWrite'})
    discards: Optional[Discards] = field(default=None, metadata={'of': 'Discards'})
    fine_percentiles: Optional[FinePercentiles] = field(default=None, metadata={'of': 'FinePercentiles'})
    flushes: Optional[Flushes] = field(default=None, metadata={'of': 'Flushes'})
    integrity: Optional[Integrity] = field(default=None, metadata={'of': 'Integrity'})
    iops: Optional[Iops] = field(default=None, metadata={'of': 'Iops'})
    latency: Optional[TimeSpanLatency] = field(default=None, metadata={'of': 'TimeSpanLatency'})
    nowait: Optional[Nowait] = field(default=None, metadata={'of': 'Nowait'})
    paced: Optional[Paced] = field(default=None, metadata={'of': 'Paced'})
    parts: Optional[Dict[str, str]] = field(default=None)
    trace: Optional[Trace] = field(default=None, metadata={'of': 'Trace'})
    write_zeroes: Optional[WriteZeroes] = field(default=None, metadata={'of': 'WriteZeroes'})


@dataclass
class Totals:
    """At `figures.totals`."""

    read: Throughput = field(default=None, metadata={'of': 'Throughput'})
    seconds: float = field(default=None)  # s
    total: Throughput = field(default=None, metadata={'of': 'Throughput'})
    write: Throughput = field(default=None, metadata={'of': 'Throughput'})


@dataclass
class Figures:
    """At `figures`."""

    time_spans: List[TimeSpan] = field(default=None, metadata={'of': 'TimeSpan', 'depth': 1})
    totals: Optional[Totals] = field(default=None, metadata={'of': 'Totals'})


@dataclass
class Format:
    """At `format`."""

    name: str = field(default=None)
    version: int = field(default=None)


@dataclass
class Window:
    """At `host.clock.window`."""

    end_ns: int = field(default=None)  # ns
    start_ns: int = field(default=None)  # ns


@dataclass
class Clock:
    """At `host.clock`."""

    offset_ns: int = field(default=None)  # ns
    uncertainty_ns: int = field(default=None)  # ns
    windows: List[Window] = field(default=None, metadata={'of': 'Window', 'depth': 1})
    drift_ns: Any = field(default=None)  # ns
    uncertainty_after_ns: Any = field(default=None)  # ns


@dataclass
class Notice:
    """At `host.notice`."""

    message: str = field(default=None)
    severity: str = field(default=None)
    time_span: Optional[int] = field(default=None)


@dataclass
class TimeSpanCpu:
    """At `host.results.time_span.cpu`, and 1 more."""

    idle: int = field(default=None)
    kernel: int = field(default=None)
    user: int = field(default=None)


@dataclass
class Ended:
    """At `host.results.time_span.ended`, and 1 more."""

    cause: str = field(default=None)
    after: Optional[int] = field(default=None)


@dataclass
class Error:
    """At `host.results.time_span.error`, and 1 more."""

    count: int = field(default=None)
    direction: str = field(default=None)
    errno: int = field(default=None)
    first_offset: int = field(default=None)
    target: int = field(default=None)
    at_us: Optional[List[int]] = field(default=None, metadata={'depth': 1})  # us


@dataclass
class IntervalsInterval:
    """At `host.results.time_span.intervals.interval`, and 3 more."""

    read_bytes: int = field(default=None)  # bytes
    write_bytes: int = field(default=None)  # bytes
    latencies: Optional[List[List[int]]] = field(default=None, metadata={'depth': 2})


@dataclass
class Intervals:
    """At `host.results.time_span.intervals`, and 1 more."""

    intervals: List[IntervalsInterval] = field(default=None, metadata={'of': 'IntervalsInterval', 'depth': 1})


@dataclass
class DataReduction:
    """At `host.results.time_span.observed.content.data_reduction`."""

    compresses: bool = field(default=None)
    deduplicates: bool = field(default=None)
    name: str = field(default=None)


@dataclass
class Sample:
    """At `host.results.time_span.observed.content.sample`."""

    block_size: int = field(default=None)  # bytes
    blocks: int = field(default=None)
    compressed: int = field(default=None)
    direct: bool = field(default=None)
    duplicates: int = field(default=None)
    unwritten: int = field(default=None)
    unwritten_zeros: int = field(default=None)
    zeros: int = field(default=None)


@dataclass
class Space:
    """At `host.results.time_span.observed.content.space`, and 2 more."""

    compressed: int = field(default=None)
    examined: int = field(default=None)
    holes: int = field(default=None)
    inline: int = field(default=None)
    pending: int = field(default=None)
    unwritten: int = field(default=None)
    fragments: Optional[int] = field(default=None)
    repeated: Optional[int] = field(default=None)
    shared: Optional[int] = field(default=None)


@dataclass
class Content:
    """At `host.results.time_span.observed.content`."""

    data_reduction: List[DataReduction] = field(default=None, metadata={'of': 'DataReduction', 'depth': 1})
    device: bool = field(default=None)
    from_: int = field(default=None, metadata={'key': 'from'})
    nanos: int = field(default=None)
    target: int = field(default=None)
    to: int = field(default=None)
    discards: Optional[bool] = field(default=None)
    rotational: Optional[bool] = field(default=None)
    sample: Optional[Sample] = field(default=None, metadata={'of': 'Sample'})
    space: Optional[Space] = field(default=None, metadata={'of': 'Space'})


@dataclass
class Delays:
    """At `host.results.time_span.observed.delays`."""

    longest_at_us: int = field(default=None)  # us
    longest_us: int = field(default=None)  # us
    suspended_us: int = field(default=None)  # us
    times: int = field(default=None)
    total_us: int = field(default=None)  # us
    was_stopped: bool = field(default=None)
    frozen_us: Optional[int] = field(default=None)  # us
    late_us: Optional[int] = field(default=None)  # us
    late_workers_active_us: Optional[int] = field(default=None)  # us
    sigcont_count: Optional[int] = field(default=None)
    workers_active_us: Optional[int] = field(default=None)  # us


@dataclass
class Health:
    """At `host.results.time_span.observed.device_log.after.health`, and 1 more."""

    critical: int = field(default=None)
    critical_minutes: int = field(default=None)
    heavy_throttled_s: int = field(default=None)  # s
    heavy_throttles: int = field(default=None)
    kelvin: int = field(default=None)
    light_throttled_s: int = field(default=None)  # s
    light_throttles: int = field(default=None)
    media_errors: int = field(default=None)
    spare: int = field(default=None)
    spare_threshold: int = field(default=None)
    used: int = field(default=None)
    warning_minutes: int = field(default=None)


@dataclass
class Media:
    """At `host.results.time_span.observed.device_log.after.media`, and 1 more."""

    erased_bytes: int = field(default=None)  # bytes
    host_bytes: int = field(default=None)  # bytes
    media_bytes: int = field(default=None)  # bytes


@dataclass
class ReadBin:
    """At `host.results.time_span.observed.device_log.after.volume.read_bin`, and 3 more."""

    count: int = field(default=None)
    lower_us: int = field(default=None)  # us
    upper_us: int = field(default=None)  # us


@dataclass
class Volume:
    """At `host.results.time_span.observed.device_log.after.volume`, and 1 more."""

    over_instance_iops_us: int = field(default=None)  # us
    over_instance_throughput_us: int = field(default=None)  # us
    over_volume_iops_us: int = field(default=None)  # us
    over_volume_throughput_us: int = field(default=None)  # us
    queue_length: int = field(default=None)
    read_bytes: int = field(default=None)  # bytes
    read_us: int = field(default=None)  # us
    reads: int = field(default=None)
    write_bytes: int = field(default=None)  # bytes
    write_us: int = field(default=None)  # us
    writes: int = field(default=None)
    read_bins: Optional[List[ReadBin]] = field(default=None, metadata={'of': 'ReadBin', 'depth': 1})
    write_bins: Optional[List[ReadBin]] = field(default=None, metadata={'of': 'ReadBin', 'depth': 1})


@dataclass
class After:
    """At `host.results.time_span.observed.device_log.after`, and 1 more."""

    health: Optional[Health] = field(default=None, metadata={'of': 'Health'})
    media: Optional[Media] = field(default=None, metadata={'of': 'Media'})
    volume: Optional[Volume] = field(default=None, metadata={'of': 'Volume'})


@dataclass
class DeviceLog:
    """At `host.results.time_span.observed.device_log`."""

    device: str = field(default=None)
    interval_ns: int = field(default=None)  # ns
    source: str = field(default=None)
    after: Optional[After] = field(default=None, metadata={'of': 'After'})
    before: Optional[After] = field(default=None, metadata={'of': 'After'})
    error: Optional[str] = field(default=None)


@dataclass
class Maintenance:
    """At `host.results.time_span.observed.devices.array.maintenance`."""

    action: str = field(default=None)
    done: List[float] = field(default=None, metadata={'depth': 1})


@dataclass
class Array:
    """At `host.results.time_span.observed.devices.array`."""

    missing: List[int] = field(default=None, metadata={'depth': 1})
    name: str = field(default=None)
    maintenance: Optional[Maintenance] = field(default=None, metadata={'of': 'Maintenance'})
    members: Optional[int] = field(default=None)
    state_unknown: Optional[bool] = field(default=None)


@dataclass
class Discard:
    """At `host.results.time_span.observed.devices.device.activity.read`, and 2 more."""

    bytes: int = field(default=None)  # bytes
    ios: int = field(default=None)
    merges: int = field(default=None)


@dataclass
class Activity:
    """At `host.results.time_span.observed.devices.device.activity`."""

    busy_ms: int = field(default=None)  # ms
    discard: Discard = field(default=None, metadata={'of': 'Discard'})
    discard_ms: int = field(default=None)  # ms
    in_flight: int = field(default=None)
    queue_ms: int = field(default=None)  # ms
    read: Discard = field(default=None, metadata={'of': 'Discard'})
    write: Discard = field(default=None, metadata={'of': 'Discard'})
    flush_ms: Optional[int] = field(default=None)  # ms
    flushes: Optional[int] = field(default=None)


@dataclass
class Change:
    """At `host.results.time_span.observed.devices.device.change`."""

    after_us: int = field(default=None)  # us
    from_: str = field(default=None, metadata={'key': 'from'})
    observed_us: int = field(default=None)  # us
    setting: str = field(default=None)
    to: str = field(default=None)


@dataclass
class DevicesDevice:
    """At `host.results.time_span.observed.devices.device`."""

    activity: Activity = field(default=None, metadata={'of': 'Activity'})
    has_statistics: bool = field(default=None)
    in_flight_before: int = field(default=None)
    name: str = field(default=None)
    changes: Optional[List[Change]] = field(default=None, metadata={'of': 'Change', 'depth': 1})
    counts_flushes: Optional[bool] = field(default=None)
    statistics_switched: Optional[bool] = field(default=None)


@dataclass
class Process:
    """At `host.results.time_span.observed.devices.process`."""

    cancelled_write_bytes: int = field(default=None)  # bytes
    read_bytes: int = field(default=None)  # bytes
    read_calls: int = field(default=None)
    write_bytes: int = field(default=None)  # bytes


@dataclass
class Times:
    """At `host.results.time_span.observed.devices.remote.activity.read.times`, and 2 more."""

    queue_ms: int = field(default=None)  # ms
    round_trip_ms: int = field(default=None)  # ms
    total_ms: int = field(default=None)  # ms


@dataclass
class Commit:
    """At `host.results.time_span.observed.devices.remote.activity.read`, and 2 more."""

    errors: int = field(default=None)
    requests: int = field(default=None)
    timeouts: int = field(default=None)
    times: Optional[Times] = field(default=None, metadata={'of': 'Times'})
    transmissions: Optional[int] = field(default=None)


@dataclass
class RemoteActivity:
    """At `host.results.time_span.observed.devices.remote.activity`."""

    commit: Commit = field(default=None, metadata={'of': 'Commit'})
    read: Commit = field(default=None, metadata={'of': 'Commit'})
    read_bytes: int = field(default=None)  # bytes
    write: Commit = field(default=None, metadata={'of': 'Commit'})
    write_bytes: int = field(default=None)  # bytes
    reconnects: Optional[int] = field(default=None)


@dataclass
class Tcp:
    """At `host.results.time_span.observed.devices.remote.tcp`."""

    retransmitted: int = field(default=None)
    sent: int = field(default=None)


@dataclass
class Remote:
    """At `host.results.time_span.observed.devices.remote`."""

    activity: RemoteActivity = field(default=None, metadata={'of': 'RemoteActivity'})
    name: str = field(default=None)
    tcp: Optional[Tcp] = field(default=None, metadata={'of': 'Tcp'})


@dataclass
class DevicesSpace:
    """At `host.results.time_span.observed.devices.space`."""

    after: Space = field(default=None, metadata={'of': 'Space'})
    before: Space = field(default=None, metadata={'of': 'Space'})
    device: Optional[str] = field(default=None)
    target: Optional[int] = field(default=None)


@dataclass
class Atomic:
    """At `host.results.time_span.observed.devices.target.atomic`."""

    segments_max: int = field(default=None)
    unit_max: int = field(default=None)
    unit_min: int = field(default=None)
    device_max: Optional[int] = field(default=None)


@dataclass
class Cached:
    """At `host.results.time_span.observed.devices.target.cached`."""

    after: int = field(default=None)
    before: int = field(default=None)
    evicted: int = field(default=None)


@dataclass
class Remounted:
    """At `host.results.time_span.observed.devices.target.remounted`, and 1 more."""

    kind: str = field(default=None)
    mount_point: str = field(default=None)
    options: str = field(default=None)


@dataclass
class QueueLimits:
    """At `host.results.time_span.observed.devices.target.stack.layer.queue_limits`."""

    fua: Optional[bool] = field(default=None)
    hardware_max_io: Optional[int] = field(default=None)
    largest_io: Optional[int] = field(default=None)
    write_back: Optional[bool] = field(default=None)


@dataclass
class LayerRemote:
    """At `host.results.time_span.observed.devices.target.stack.layer.remote`."""

    mount_point: str = field(default=None)
    protocol: str = field(default=None)
    source: str = field(default=None)


@dataclass
class Layer:
    """At `host.results.time_span.observed.devices.target.stack.layer`."""

    kind: str = field(default=None)
    lower_devices: List[str] = field(default=None, metadata={'depth': 1})
    name: str = field(default=None)
    one_to_one: bool = field(default=None)
    statistics: bool = field(default=None)
    direct: Optional[bool] = field(default=None)
    lower_unknown: Optional[str] = field(default=None)
    memory: Optional[str] = field(default=None)
    number: Optional[str] = field(default=None)
    queue_limits: Optional[QueueLimits] = field(default=None, metadata={'of': 'QueueLimits'})
    remote: Optional[LayerRemote] = field(default=None, metadata={'of': 'LayerRemote'})


@dataclass
class Stack:
    """At `host.results.time_span.observed.devices.target.stack`."""

    layers: List[Layer] = field(default=None, metadata={'of': 'Layer', 'depth': 1})
    top_devices: List[str] = field(default=None, metadata={'depth': 1})
    file_system: Optional[str] = field(default=None)
    in_memory: Optional[str] = field(default=None)
    mounts: Optional[List[Remounted]] = field(default=None, metadata={'of': 'Remounted', 'depth': 1})
    no_device_reason: Optional[str] = field(default=None)


@dataclass
class State:
    """At `host.results.time_span.observed.devices.target.state`."""

    links: int = field(default=None)
    observed_us: int = field(default=None)  # us
    size: int = field(default=None)
    synchronous: bool = field(default=None)


@dataclass
class Target:
    """At `host.results.time_span.observed.devices.target`."""

    stack: Stack = field(default=None, metadata={'of': 'Stack'})
    target: int = field(default=None)
    atomic: Optional[Atomic] = field(default=None, metadata={'of': 'Atomic'})
    cached: Optional[Cached] = field(default=None, metadata={'of': 'Cached'})
    cached_bytes: Optional[int] = field(default=None)  # bytes
    flush: Optional[int] = field(default=None)
    remounted: Optional[List[Remounted]] = field(default=None, metadata={'of': 'Remounted', 'depth': 1})
    stack_at_end: Optional[List[str]] = field(default=None, metadata={'depth': 1})
    states: Optional[List[State]] = field(default=None, metadata={'of': 'State', 'depth': 1})
    synchronous: Optional[bool] = field(default=None)
    unwritten: Optional[int] = field(default=None)
    unwritten_before: Optional[int] = field(default=None)
    write_error: Optional[int] = field(default=None)


@dataclass
class Devices:
    """At `host.results.time_span.observed.devices`."""

    devices: List[DevicesDevice] = field(default=None, metadata={'of': 'DevicesDevice', 'depth': 1})
    elapsed: int = field(default=None)
    targets: List[Target] = field(default=None, metadata={'of': 'Target', 'depth': 1})
    arrays: Optional[List[Array]] = field(default=None, metadata={'of': 'Array', 'depth': 1})
    process: Optional[Process] = field(default=None, metadata={'of': 'Process'})
    remote: Optional[List[Remote]] = field(default=None, metadata={'of': 'Remote', 'depth': 1})
    space: Optional[List[DevicesSpace]] = field(default=None, metadata={'of': 'DevicesSpace', 'depth': 1})
    unwritten: Optional[List[int]] = field(default=None, metadata={'depth': 1})


@dataclass
class IdleEntryState:
    """At `host.results.time_span.observed.idle_entry.state`."""

    entered: int = field(default=None)
    latency: int = field(default=None)
    name: str = field(default=None)


@dataclass
class IdleEntry:
    """At `host.results.time_span.observed.idle_entry`."""

    cpu: int = field(default=None)
    states: List[IdleEntryState] = field(default=None, metadata={'of': 'IdleEntryState', 'depth': 1})


@dataclass
class InterruptCpu:
    """At `host.results.time_span.observed.interrupt.cpu`."""

    count: int = field(default=None)
    cpu: int = field(default=None)


@dataclass
class Interrupt:
    """At `host.results.time_span.observed.interrupt`."""

    cpus: List[InterruptCpu] = field(default=None, metadata={'of': 'InterruptCpu', 'depth': 1})
    device: str = field(default=None)


@dataclass
class Latencies:
    """At `host.results.time_span.observed.latencies`."""

    packed: str = field(default=None)
    width_us: int = field(default=None)  # us


@dataclass
class LostCpuTime:
    """At `host.results.time_span.observed.lost_cpu_time`."""

    interrupts: int = field(default=None)
    steal: int = field(default=None)


@dataclass
class OutageChange:
    """At `judgement.outage.change`, and 1 more."""

    attribute: str = field(default=None)
    from_: str = field(default=None, metadata={'key': 'from'})
    observed_us: int = field(default=None)  # us
    to: str = field(default=None)


@dataclass
class Gap:
    """At `host.results.time_span.observed.outage_observations.gap`."""

    end_us: int = field(default=None)  # us
    start_us: int = field(default=None)  # us
    target: int = field(default=None)
    changes: Optional[List[OutageChange]] = field(default=None, metadata={'of': 'OutageChange', 'depth': 1})
    in_flight: Optional[int] = field(default=None)


@dataclass
class Stuck:
    """At `host.results.time_span.observed.outage_observations.stuck`."""

    length: int = field(default=None)
    observed_us: int = field(default=None)  # us
    offset: int = field(default=None)
    operation: str = field(default=None)
    submitted_us: int = field(default=None)  # us
    target: int = field(default=None)


@dataclass
class Ticks:
    """At `host.results.time_span.observed.ticks`, and 1 more."""

    ios: str = field(default=None)
    width_us: int = field(default=None)  # us


@dataclass
class OutageObservationsTarget:
    """At `host.results.time_span.observed.outage_observations.target`."""

    target: int = field(default=None)
    ticks: Ticks = field(default=None, metadata={'of': 'Ticks'})


@dataclass
class WatcherGap:
    """At `host.results.time_span.observed.outage_observations.watcher_gap`."""

    end_us: int = field(default=None)  # us
    start_us: int = field(default=None)  # us


@dataclass
class OutageObservations:
    """At `host.results.time_span.observed.outage_observations`."""

    gaps: Optional[List[Gap]] = field(default=None, metadata={'of': 'Gap', 'depth': 1})
    stuck: Optional[List[Stuck]] = field(default=None, metadata={'of': 'Stuck', 'depth': 1})
    targets: Optional[List[OutageObservationsTarget]] = field(default=None, metadata={'of': 'OutageObservationsTarget', 'depth': 1})
    watcher_gaps: Optional[List[WatcherGap]] = field(default=None, metadata={'of': 'WatcherGap', 'depth': 1})


@dataclass
class IoControl:
    """At `host.results.time_span.observed.resource_usage.io_control`."""

    device: str = field(default=None)
    group: str = field(default=None)
    setting: str = field(default=None)


@dataclass
class IoCost:
    """At `host.results.time_span.observed.resource_usage.io_cost`."""

    device: str = field(default=None)
    group: str = field(default=None)
    usage_us: int = field(default=None)  # us
    indebt_us: Optional[int] = field(default=None)  # us
    indelay_us: Optional[int] = field(default=None)  # us
    wait_us: Optional[int] = field(default=None)  # us


@dataclass
class IoLimit:
    """At `host.results.time_span.observed.resource_usage.io_limit`, and 1 more."""

    device: str = field(default=None)
    group: str = field(default=None)
    read_bytes: Optional[int] = field(default=None)  # bytes
    reads: Optional[int] = field(default=None)
    write_bytes: Optional[int] = field(default=None)  # bytes
    writes: Optional[int] = field(default=None)


@dataclass
class LimitChangeCpu:
    """At `host.results.time_span.observed.resource_usage.limit_change.cpu`."""

    cpus: float = field(default=None)
    group: str = field(default=None)


@dataclass
class LimitChange:
    """At `host.results.time_span.observed.resource_usage.limit_change`."""

    after_us: int = field(default=None)  # us
    io_limits: List[IoLimit] = field(default=None, metadata={'of': 'IoLimit', 'depth': 1})
    observed_us: int = field(default=None)  # us
    cpus: Optional[List[LimitChangeCpu]] = field(default=None, metadata={'of': 'LimitChangeCpu', 'depth': 1})
    group_changed: Optional[bool] = field(default=None)


@dataclass
class MemoryChange:
    """At `host.results.time_span.observed.resource_usage.memory.change`."""

    after_us: int = field(default=None)  # us
    observed_us: int = field(default=None)  # us
    bytes: Optional[int] = field(default=None)  # bytes


@dataclass
class Memory:
    """At `host.results.time_span.observed.resource_usage.memory`."""

    group: str = field(default=None)
    reached: int = field(default=None)
    bytes: Optional[int] = field(default=None)  # bytes
    changes: Optional[List[MemoryChange]] = field(default=None, metadata={'of': 'MemoryChange', 'depth': 1})
    stalled_us: Optional[int] = field(default=None)  # us


@dataclass
class Busiest:
    """At `host.results.time_span.observed.resource_usage.other_processes.busiest`."""

    busy: int = field(default=None)
    kernel: bool = field(default=None)
    name: str = field(default=None)
    pid: int = field(default=None)


@dataclass
class OtherProcesses:
    """At `host.results.time_span.observed.resource_usage.other_processes`."""

    busiest: List[Busiest] = field(default=None, metadata={'of': 'Busiest', 'depth': 1})
    elapsed: int = field(default=None)
    programs: int = field(default=None)
    kernel: Optional[int] = field(default=None)
    kernel_run_delay: Optional[int] = field(default=None)


@dataclass
class Quota:
    """At `host.results.time_span.observed.resource_usage.quota`."""

    cpus: float = field(default=None)
    group: str = field(default=None)
    periods: int = field(default=None)
    throttled: int = field(default=None)
    throttled_periods: int = field(default=None)


@dataclass
class Tool:
    """At `host.results.time_span.observed.resource_usage.tool`."""

    clock: float = field(default=None)
    histogram: float = field(default=None)
    io: Optional[float] = field(default=None)
    ring_noop: Optional[float] = field(default=None)


@dataclass
class AffinityChange:
    """At `host.results.time_span.observed.resource_usage.worker.affinity_change`."""

    after_us: int = field(default=None)  # us
    cpus: List[int] = field(default=None, metadata={'depth': 1})
    observed_us: int = field(default=None)  # us


@dataclass
class WorkerTimes:
    """At `host.results.time_span.observed.resource_usage.worker.times`."""

    busy: int = field(default=None)
    system: int = field(default=None)
    user: int = field(default=None)
    run_delay: Optional[int] = field(default=None)


@dataclass
class Worker:
    """At `host.results.time_span.observed.resource_usage.worker`."""

    depth: int = field(default=None)
    engine: str = field(default=None)
    affinity_change: Optional[AffinityChange] = field(default=None, metadata={'of': 'AffinityChange'})
    cpu: Optional[int] = field(default=None)
    times: Optional[WorkerTimes] = field(default=None, metadata={'of': 'WorkerTimes'})


@dataclass
class ResourceUsage:
    """At `host.results.time_span.observed.resource_usage`."""

    io_limits: List[IoLimit] = field(default=None, metadata={'of': 'IoLimit', 'depth': 1})
    process: int = field(default=None)
    quotas: List[Quota] = field(default=None, metadata={'of': 'Quota', 'depth': 1})
    workers: List[Worker] = field(default=None, metadata={'of': 'Worker', 'depth': 1})
    io_controls: Optional[List[IoControl]] = field(default=None, metadata={'of': 'IoControl', 'depth': 1})
    io_costs: Optional[List[IoCost]] = field(default=None, metadata={'of': 'IoCost', 'depth': 1})
    limit_changes: Optional[List[LimitChange]] = field(default=None, metadata={'of': 'LimitChange', 'depth': 1})
    memory: Optional[List[Memory]] = field(default=None, metadata={'of': 'Memory', 'depth': 1})
    other_processes: Optional[OtherProcesses] = field(default=None, metadata={'of': 'OtherProcesses'})
    tool: Optional[Tool] = field(default=None, metadata={'of': 'Tool'})


@dataclass
class ObservedSample:
    """At `host.results.time_span.observed.sample`."""

    bytes: int = field(default=None)  # bytes
    end_us: int = field(default=None)  # us
    ios: int = field(default=None)


@dataclass
class Cause:
    """At `host.results.time_span.observed.slow.io.cause`."""

    duration_ns: int = field(default=None)  # ns
    kind: str = field(default=None)
    name: Optional[str] = field(default=None)


@dataclass
class Stages:
    """At `host.results.time_span.observed.slow.io.stages`, and 1 more."""

    device_ns: int = field(default=None)  # ns
    interrupt_ns: int = field(default=None)  # ns
    kernel_ns: int = field(default=None)  # ns
    queue_ns: int = field(default=None)  # ns
    reap_ns: int = field(default=None)  # ns
    submit_ns: int = field(default=None)  # ns
    unattributed_ns: int = field(default=None)  # ns
    wake_ns: int = field(default=None)  # ns


@dataclass
class Io:
    """At `host.results.time_span.observed.slow.io`."""

    latency_ns: int = field(default=None)  # ns
    length: int = field(default=None)
    offset: int = field(default=None)
    operation: str = field(default=None)
    stages: Stages = field(default=None, metadata={'of': 'Stages'})
    submitted_ns: int = field(default=None)  # ns
    target: int = field(default=None)
    thread: int = field(default=None)
    cause: Optional[Cause] = field(default=None, metadata={'of': 'Cause'})


@dataclass
class Second:
    """At `host.results.time_span.observed.slow.second`."""

    ios: int = field(default=None)
    longest_ns: int = field(default=None)  # ns
    second: int = field(default=None)
    stages: Stages = field(default=None, metadata={'of': 'Stages'})


@dataclass
class Slow:
    """At `host.results.time_span.observed.slow`."""

    cost_percent: float = field(default=None)  # percent
    events: int = field(default=None)
    ios: List[Io] = field(default=None, metadata={'of': 'Io', 'depth': 1})
    lost_events: int = field(default=None)
    missed: int = field(default=None)
    requested: int = field(default=None)
    seconds: List[Second] = field(default=None, metadata={'of': 'Second', 'depth': 1})
    error: Optional[str] = field(default=None)


@dataclass
class Disk:
    """At `host.results.time_span.observed.thermal.after.disk`, and 1 more."""

    celsius: float = field(default=None)
    disk: str = field(default=None)
    limit: Optional[float] = field(default=None)


@dataclass
class ThermalAfter:
    """At `host.results.time_span.observed.thermal.after`."""

    disks: List[Disk] = field(default=None, metadata={'of': 'Disk', 'depth': 1})
    cpu_throttles: Optional[int] = field(default=None)


@dataclass
class Before:
    """At `host.results.time_span.observed.thermal.before`."""

    disks: List[Disk] = field(default=None, metadata={'of': 'Disk', 'depth': 1})
    cpu_throttles: Optional[int] = field(default=None)


@dataclass
class Thermal:
    """At `host.results.time_span.observed.thermal`."""

    after: ThermalAfter = field(default=None, metadata={'of': 'ThermalAfter'})
    before: Before = field(default=None, metadata={'of': 'Before'})


@dataclass
class Tracer:
    """At `host.results.time_span.observed.tracer`."""

    checks: int = field(default=None)
    name: str = field(default=None)
    pid: int = field(default=None)
    samples: int = field(default=None)
    stopped: int = field(default=None)
    traced_checks: int = field(default=None)


@dataclass
class WarmUp:
    """At `host.results.time_span.observed.warm_up`."""

    limit: int = field(default=None)
    seconds: int = field(default=None)  # s
    steady: bool = field(default=None)


@dataclass
class Observed:
    """At `host.results.time_span.observed`."""

    content: Optional[List[Content]] = field(default=None, metadata={'of': 'Content', 'depth': 1})
    cpu_latency: Optional[int] = field(default=None)
    delays: Optional[Delays] = field(default=None, metadata={'of': 'Delays'})
    device_logs: Optional[List[DeviceLog]] = field(default=None, metadata={'of': 'DeviceLog', 'depth': 1})
    devices: Optional[Devices] = field(default=None, metadata={'of': 'Devices'})
    idle_entries: Optional[List[IdleEntry]] = field(default=None, metadata={'of': 'IdleEntry', 'depth': 1})
    interrupts: Optional[List[Interrupt]] = field(default=None, metadata={'of': 'Interrupt', 'depth': 1})
    latencies: Optional[Latencies] = field(default=None, metadata={'of': 'Latencies'})
    lost_cpu_times: Optional[List[LostCpuTime]] = field(default=None, metadata={'of': 'LostCpuTime', 'depth': 1})
    offline: Optional[List[int]] = field(default=None, metadata={'depth': 1})
    outage_observations: Optional[OutageObservations] = field(default=None, metadata={'of': 'OutageObservations'})
    polled: Optional[bool] = field(default=None)
    resource_usage: Optional[ResourceUsage] = field(default=None, metadata={'of': 'ResourceUsage'})
    samples: Optional[List[ObservedSample]] = field(default=None, metadata={'of': 'ObservedSample', 'depth': 1})
    serialized: Optional[List[str]] = field(default=None, metadata={'depth': 1})
    slow: Optional[Slow] = field(default=None, metadata={'of': 'Slow'})
    thermal: Optional[Thermal] = field(default=None, metadata={'of': 'Thermal'})
    ticks: Optional[Ticks] = field(default=None, metadata={'of': 'Ticks'})
    trace: Optional[Trace] = field(default=None, metadata={'of': 'Trace'})
    tracer: Optional[Tracer] = field(default=None, metadata={'of': 'Tracer'})
    until_read: Optional[int] = field(default=None)
    until_written: Optional[int] = field(default=None)
    warm_up: Optional[WarmUp] = field(default=None, metadata={'of': 'WarmUp'})


@dataclass
class Responses:
    """At `host.results.time_span.responses`, and 1 more."""

    intervals: List[IntervalsInterval] = field(default=None, metadata={'of': 'IntervalsInterval', 'depth': 1})


@dataclass
class Start:
    """At `host.results.time_span.start`."""

    measuring_utc_ns: int = field(default=None)  # ns since 1970, UTC
    start_signal_utc_ns: int = field(default=None)  # ns since 1970, UTC


@dataclass
class Engine:
    """At `host.results.time_span.thread.engine`, and 1 more."""

    clock: str = field(default=None)
    features: str = field(default=None)
    name: str = field(default=None)
    reason: str = field(default=None)


@dataclass
class DiscardsLatency:
    """At `host.results.time_span.thread.target.read.latency`, and 9 more."""

    packed: str = field(default=None)
    moments: Optional[Moments] = field(default=None, metadata={'of': 'Moments'})


@dataclass
class Delay:
    """At `host.results.time_span.thread.target.read.paced.delay`, and 9 more."""

    packed: str = field(default=None)
    moments: Optional[Moments] = field(default=None, metadata={'of': 'Moments'})


@dataclass
class PacedResponse:
    """At `host.results.time_span.thread.target.read.paced.response`, and 9 more."""

    packed: str = field(default=None)
    moments: Optional[Moments] = field(default=None, metadata={'of': 'Moments'})


@dataclass
class DiscardsPaced:
    """At `host.results.time_span.thread.target.read.paced`, and 9 more."""

    delay: Delay = field(default=None, metadata={'of': 'Delay'})
    response: Optional[PacedResponse] = field(default=None, metadata={'of': 'PacedResponse'})


@dataclass
class Series:
    """At `host.results.time_span.thread.target.read.series`, and 7 more."""

    allocated: int = field(default=None)
    last: int = field(default=None)
    packed: str = field(default=None)
    width: int = field(default=None)


@dataclass
class TargetDiscards:
    """At `host.results.time_span.thread.target.discards`, and 3 more."""

    bytes: int = field(default=None)  # bytes
    ios: int = field(default=None)
    latency: DiscardsLatency = field(default=None, metadata={'of': 'DiscardsLatency'})
    paced: DiscardsPaced = field(default=None, metadata={'of': 'DiscardsPaced'})
    series: Series = field(default=None, metadata={'of': 'Series'})
    short: int = field(default=None)


@dataclass
class TargetFlushes:
    """At `host.results.time_span.thread.target.flushes`."""

    packed: str = field(default=None)
    moments: Optional[Moments] = field(default=None, metadata={'of': 'Moments'})


@dataclass
class NotSubmitted:
    """At `host.results.time_span.thread.target.not_submitted`, and 1 more."""

    ios: int = field(default=None)
    longest: int = field(default=None)


@dataclass
class TargetRead:
    """At `host.results.time_span.thread.target.read`, and 5 more."""

    bytes: int = field(default=None)  # bytes
    ios: int = field(default=None)
    short: int = field(default=None)
    latency: Optional[DiscardsLatency] = field(default=None, metadata={'of': 'DiscardsLatency'})
    moments: Optional[Moments] = field(default=None, metadata={'of': 'Moments'})
    nowait_misses: Optional[int] = field(default=None)
    paced: Optional[DiscardsPaced] = field(default=None, metadata={'of': 'DiscardsPaced'})
    series: Optional[Series] = field(default=None, metadata={'of': 'Series'})


@dataclass
class Part:
    """At `host.results.time_span.thread.target.part`."""

    block_size: int = field(default=None)  # bytes
    part: int = field(default=None)
    read: TargetRead = field(default=None, metadata={'of': 'TargetRead'})
    write: TargetRead = field(default=None, metadata={'of': 'TargetRead'})


@dataclass
class ThreadTarget:
    """At `host.results.time_span.thread.target`, and 1 more."""

    read: TargetRead = field(default=None, metadata={'of': 'TargetRead'})
    size: int = field(default=None)
    target: int = field(default=None)
    write: TargetRead = field(default=None, metadata={'of': 'TargetRead'})
    discards: Optional[TargetDiscards] = field(default=None, metadata={'of': 'TargetDiscards'})
    distribution: Optional[List[Range]] = field(default=None, metadata={'of': 'Range', 'depth': 1})
    flushes: Optional[TargetFlushes] = field(default=None, metadata={'of': 'TargetFlushes'})
    integrity: Optional[Results] = field(default=None, metadata={'of': 'Results'})
    not_submitted: Optional[NotSubmitted] = field(default=None, metadata={'of': 'NotSubmitted'})
    parts: Optional[List[Part]] = field(default=None, metadata={'of': 'Part', 'depth': 1})
    unfinished: Optional[List[int]] = field(default=None, metadata={'depth': 1})
    write_zeroes: Optional[TargetDiscards] = field(default=None, metadata={'of': 'TargetDiscards'})


@dataclass
class Thread:
    """At `host.results.time_span.thread`, and 1 more."""

    targets: List[ThreadTarget] = field(default=None, metadata={'of': 'ThreadTarget', 'depth': 1})
    engine: Optional[Engine] = field(default=None, metadata={'of': 'Engine'})
    wait: Optional[Waits] = field(default=None, metadata={'of': 'Waits'})


@dataclass
class ReadService:
    """At `merged.host.results.time_span.merged.read.service`, and 1 more."""

    moments: Moments = field(default=None, metadata={'of': 'Moments'})
    packed: str = field(default=None)


@dataclass
class MergedRead:
    """At `merged.host.results.time_span.merged.read`, and 1 more."""

    latency: DiscardsLatency = field(default=None, metadata={'of': 'DiscardsLatency'})
    paced: DiscardsPaced = field(default=None, metadata={'of': 'DiscardsPaced'})
    service: ReadService = field(default=None, metadata={'of': 'ReadService'})


@dataclass
class MergedTarget:
    """At `merged.host.results.time_span.merged.target`."""

    rows: List[List[float]] = field(default=None, metadata={'depth': 2})
    target: int = field(default=None)


@dataclass
class TimeSpanMerged:
    """At `merged.host.results.time_span.merged`."""

    read: MergedRead = field(default=None, metadata={'of': 'MergedRead'})
    targets: List[MergedTarget] = field(default=None, metadata={'of': 'MergedTarget', 'depth': 1})
    write: MergedRead = field(default=None, metadata={'of': 'MergedRead'})
    covered: Optional[int] = field(default=None)


@dataclass
class ResultsTimeSpan:
    """At `host.results.time_span`, and 1 more."""

    cpus: List[TimeSpanCpu] = field(default=None, metadata={'of': 'TimeSpanCpu', 'depth': 1})
    errors: List[Error] = field(default=None, metadata={'of': 'Error', 'depth': 1})
    measured: int = field(default=None)
    threads: List[Thread] = field(default=None, metadata={'of': 'Thread', 'depth': 1})
    ended: Optional[Ended] = field(default=None, metadata={'of': 'Ended'})
    intervals: Optional[Intervals] = field(default=None, metadata={'of': 'Intervals'})
    merged: Optional[TimeSpanMerged] = field(default=None, metadata={'of': 'TimeSpanMerged'})
    observed: Optional[Observed] = field(default=None, metadata={'of': 'Observed'})
    responses: Optional[Responses] = field(default=None, metadata={'of': 'Responses'})
    start: Optional[Start] = field(default=None, metadata={'of': 'Start'})
    started_at: Optional[int] = field(default=None)


@dataclass
class HostResults:
    """At `host.results`, and 1 more."""

    time_spans: List[ResultsTimeSpan] = field(default=None, metadata={'of': 'ResultsTimeSpan', 'depth': 1})


@dataclass
class SummaryDevice:
    """At `host.summary.device`."""

    message: str = field(default=None)
    severity: str = field(default=None)
    time_span: int = field(default=None)
    verdict: str = field(default=None)
    ranks: Optional[int] = field(default=None)


@dataclass
class Finding:
    """At `judgement.finding`, and 1 more."""

    message: str = field(default=None)
    name: str = field(default=None)
    severity: str = field(default=None)
    evidence: Optional[List[str]] = field(default=None, metadata={'depth': 1})
    remedy: Optional[str] = field(default=None)
    target: Optional[str] = field(default=None, metadata={'of': 'text'})
    time_span: Optional[int] = field(default=None)


@dataclass
class Findings:
    """At `host.summary.run.findings`."""

    names: List[str] = field(default=None, metadata={'depth': 1})
    severity: str = field(default=None)


@dataclass
class OriginRecord:
    """At `host.summary.run.origin.record`."""

    version: int = field(default=None)


@dataclass
class Origin:
    """At `host.summary.run.origin`."""

    record: OriginRecord = field(default=None, metadata={'of': 'OriginRecord'})


@dataclass
class Caching:
    """At `index.time_span.parameters.target.access.caching`, and 3 more."""

    memory_mapped: bool = field(default=None)
    mode: str = field(default=None)
    write_through: bool = field(default=None)
    block_device: Optional[bool] = field(default=None)
    cached_devices: Optional[bool] = field(default=None)


@dataclass
class Rate:
    """At `index.time_span.parameters.target.access.rate`, and 1 more."""

    bytes_per_millisecond: Optional[int] = field(default=None)
    iops: Optional[int] = field(default=None)  # I/Os per second


@dataclass
class Access:
    """At `index.time_span.parameters.target.access`, and 3 more."""

    block_size: Optional[int] = field(default=None)  # bytes
    caching: Optional[Caching] = field(default=None, metadata={'of': 'Caching'})
    outstanding: Optional[int] = field(default=None)
    random_percent: Optional[int] = field(default=None)  # percent
    rate: Optional[Union[Rate, str]] = field(default=None, metadata={'of': 'Rate'})
    stride: Optional[int] = field(default=None)
    threads: Optional[int] = field(default=None)
    trim_percent: Optional[int] = field(default=None)  # percent
    write_percent: Optional[int] = field(default=None)  # percent
    write_zeroes_percent: Optional[int] = field(default=None)  # percent


@dataclass
class ParametersTarget:
    """At `index.time_span.parameters.target`, and 3 more."""

    access: Access = field(default=None, metadata={'of': 'Access'})
    paths: List[str] = field(default=None, metadata={'of': 'text', 'depth': 1})


@dataclass
class RateTotal:
    """At `method.rate_total`, and 1 more."""

    arrivals: str = field(default=None)
    ios_per_s: int = field(default=None)  # per second


@dataclass
class Parameters:
    """At `index.time_span.parameters`, and 3 more."""

    targets: List[ParametersTarget] = field(default=None, metadata={'of': 'ParametersTarget', 'depth': 1})
    duration_s: Optional[int] = field(default=None)  # s
    floating_pool: Optional[bool] = field(default=None)
    fsync_every: Optional[int] = field(default=None)
    in_flight: Optional[int] = field(default=None)
    rand_seed: Optional[int] = field(default=None)
    rate_total: Optional[RateTotal] = field(default=None, metadata={'of': 'RateTotal'})
    threads: Optional[int] = field(default=None)
    warmup_s: Optional[int] = field(default=None)  # s


@dataclass
class TimeSpanResponse:
    """At `index.time_span.response`, and 1 more."""

    ios: int = field(default=None)
    mean_ms: Percentile = field(default=None, metadata={'of': 'Percentile'})
    percentiles: List[Percentile] = field(default=None, metadata={'of': 'Percentile', 'depth': 1})


@dataclass
class TimeSpanPart:
    """At `index.time_span.part`."""

    block_size: int = field(default=None)  # bytes
    iops: float = field(default=None)  # I/Os per second
    ios: int = field(default=None)
    part: int = field(default=None)
    target: int = field(default=None)
    mean_ms: Optional[float] = field(default=None)  # ms
    p99_ms: Optional[float] = field(default=None)  # ms


@dataclass
class IndexTimeSpan:
    """At `index.time_span`, and 1 more."""

    cpu_percent: float = field(default=None)  # percent
    parameters: Parameters = field(default=None, metadata={'of': 'Parameters'})
    percentiles: List[Percentile] = field(default=None, metadata={'of': 'Percentile', 'depth': 1})
    read: Throughput = field(default=None, metadata={'of': 'Throughput'})
    seconds: float = field(default=None)  # s
    total: Throughput = field(default=None, metadata={'of': 'Throughput'})
    write: Throughput = field(default=None, metadata={'of': 'Throughput'})
    longest_outage_s: Optional[float] = field(default=None)  # s
    outages: Optional[int] = field(default=None)
    parts: Optional[List[TimeSpanPart]] = field(default=None, metadata={'of': 'TimeSpanPart', 'depth': 1})
    response: Optional[TimeSpanResponse] = field(default=None, metadata={'of': 'TimeSpanResponse'})
    verdict: Optional[str] = field(default=None)


@dataclass
class Unmeasured:
    """At `index.unmeasured`, and 1 more."""

    parameters: Parameters = field(default=None, metadata={'of': 'Parameters'})
    time_span: int = field(default=None)


@dataclass
class Run:
    """At `host.summary.run`."""

    command_line: str = field(default=None)
    computer: str = field(default=None)
    findings: Findings = field(default=None, metadata={'of': 'Findings'})
    identity: str = field(default=None)
    name: str = field(default=None)
    origin: Origin = field(default=None, metadata={'of': 'Origin'})
    time_spans: List[IndexTimeSpan] = field(default=None, metadata={'of': 'IndexTimeSpan', 'depth': 1})
    fingerprint: Optional[str] = field(default=None)
    label: Any = field(default=None)
    machine: Optional[str] = field(default=None)
    started_at: Any = field(default=None)
    unmeasured: Optional[List[Unmeasured]] = field(default=None, metadata={'of': 'Unmeasured', 'depth': 1})


@dataclass
class SummaryWindow:
    """At `host.summary.window`."""

    measured: int = field(default=None)
    shift: Optional[int] = field(default=None)
    start_ns: Optional[int] = field(default=None)  # ns


@dataclass
class Summary:
    """At `host.summary`."""

    findings: List[Finding] = field(default=None, metadata={'of': 'Finding', 'depth': 1})
    run: Run = field(default=None, metadata={'of': 'Run'})
    windows: List[SummaryWindow] = field(default=None, metadata={'of': 'SummaryWindow', 'depth': 1})
    devices: Optional[List[SummaryDevice]] = field(default=None, metadata={'of': 'SummaryDevice', 'depth': 1})


@dataclass
class Frequency:
    """At `host.system.environment.cpu.frequency`."""

    current: Optional[int] = field(default=None)
    driver: Optional[str] = field(default=None)
    hardware_max: Optional[int] = field(default=None)
    hardware_min: Optional[int] = field(default=None)
    max: Optional[int] = field(default=None)
    min: Optional[int] = field(default=None)
    preference: Optional[str] = field(default=None)


@dataclass
class IdleState:
    """At `host.system.environment.cpu.idle_state`."""

    enabled: bool = field(default=None)
    latency: int = field(default=None)
    name: str = field(default=None)
    residency: int = field(default=None)


@dataclass
class EnvironmentCpu:
    """At `host.system.environment.cpu`."""

    idle_states: List[IdleState] = field(default=None, metadata={'of': 'IdleState', 'depth': 1})
    boost: Optional[bool] = field(default=None)
    frequency: Optional[Frequency] = field(default=None, metadata={'of': 'Frequency'})
    idle_driver: Optional[str] = field(default=None)
    smt: Optional[str] = field(default=None)
    throttled: Optional[int] = field(default=None)


@dataclass
class TargetDevice:
    """At `host.target.device`, and 1 more."""

    name: str = field(default=None)
    queue: Dict[str, str] = field(default=None)
    direct: Optional[bool] = field(default=None)
    disk: Optional[str] = field(default=None)
    firmware: Optional[str] = field(default=None)
    identity: Optional[str] = field(default=None)
    model: Optional[str] = field(default=None)
    size: Optional[int] = field(default=None)


@dataclass
class Link:
    """At `host.system.environment.disk.link`."""

    max_speed: int = field(default=None)
    max_width: int = field(default=None)
    speed: int = field(default=None)
    width: int = field(default=None)


@dataclass
class EnvironmentDisk:
    """At `host.system.environment.disk`."""

    device: TargetDevice = field(default=None, metadata={'of': 'TargetDevice'})
    misaligned: List[str] = field(default=None, metadata={'depth': 1})
    number: str = field(default=None)
    targets: List[int] = field(default=None, metadata={'depth': 1})
    link: Optional[Link] = field(default=None, metadata={'of': 'Link'})
    numa_node: Optional[int] = field(default=None)
    transport: Optional[str] = field(default=None)


@dataclass
class Limits:
    """At `host.system.environment.limits`."""

    io: Dict[str, str] = field(default=None)
    cpu: Optional[int] = field(default=None)
    cpus: Optional[str] = field(default=None)
    memory: Optional[int] = field(default=None)


@dataclass
class Load:
    """At `host.system.environment.load`."""

    average: Optional[int] = field(default=None)
    cpu_pressure: Optional[int] = field(default=None)
    io_pressure: Optional[int] = field(default=None)
    running: Optional[int] = field(default=None)
    swap_used: Optional[int] = field(default=None)


@dataclass
class Platform:
    """At `host.system.environment.platform`."""

    container: bool = field(default=None)
    virtual_machine: bool = field(default=None)
    cloud: Optional[str] = field(default=None)
    hypervisor: Optional[str] = field(default=None)
    product: Optional[str] = field(default=None)
    vendor: Optional[str] = field(default=None)


@dataclass
class Environment:
    """At `host.system.environment`."""

    cpu: EnvironmentCpu = field(default=None, metadata={'of': 'EnvironmentCpu'})
    disks: List[EnvironmentDisk] = field(default=None, metadata={'of': 'EnvironmentDisk', 'depth': 1})
    limits: Limits = field(default=None, metadata={'of': 'Limits'})
    load: Load = field(default=None, metadata={'of': 'Load'})
    platform: Platform = field(default=None, metadata={'of': 'Platform'})
    vulnerabilities: Dict[str, str] = field(default=None)
    clock_source: Optional[str] = field(default=None)
    kernel_command_line: Optional[str] = field(default=None)


@dataclass
class Fingerprint:
    """At `host.system.fingerprint`."""

    hash: str = field(default=None)
    parts: Dict[str, str] = field(default=None)


@dataclass
class MemoryAllowance:
    """At `host.system.memory_allowance`."""

    group: str = field(default=None)
    left: int = field(default=None)
    limit: int = field(default=None)


@dataclass
class PowerScheme:
    """At `host.system.power_scheme`, and 1 more."""

    guid: Optional[str] = field(default=None)
    name: Optional[str] = field(default=None)


@dataclass
class Core:
    """At `host.system.topology.core`, and 1 more."""

    efficiency_class: int = field(default=None)
    group: int = field(default=None)
    mask: int = field(default=None)
    number: int = field(default=None)
    continued: Optional[bool] = field(default=None)


@dataclass
class Group:
    """At `host.system.topology.group`, and 1 more."""

    active: int = field(default=None)
    mask: int = field(default=None)
    maximum: int = field(default=None)
    number: int = field(default=None)


@dataclass
class Node:
    """At `host.system.topology.node`, and 1 more."""

    masks: List[List[int]] = field(default=None, metadata={'depth': 2})
    number: int = field(default=None)


@dataclass
class Socket:
    """At `host.system.topology.socket`, and 1 more."""

    masks: List[List[int]] = field(default=None, metadata={'depth': 2})
    number: int = field(default=None)


@dataclass
class Topology:
    """At `host.system.topology`, and 1 more."""

    cores: List[Core] = field(default=None, metadata={'of': 'Core', 'depth': 1})
    groups: List[Group] = field(default=None, metadata={'of': 'Group', 'depth': 1})
    nodes: List[Node] = field(default=None, metadata={'of': 'Node', 'depth': 1})
    smt: bool = field(default=None)
    sockets: List[Socket] = field(default=None, metadata={'of': 'Socket', 'depth': 1})
    disallowed: Optional[List[List[int]]] = field(default=None, metadata={'depth': 2})


@dataclass
class Unreadable:
    """At `host.system.unreadable`."""

    facts: str = field(default=None)
    path: str = field(default=None)
    processors: bool = field(default=None)
    reason: str = field(default=None)
    remedy: str = field(default=None)


@dataclass
class System:
    """At `host.system`, and 1 more."""

    computer_name: str = field(default=None)
    cpu_model: str = field(default=None)
    kernel: str = field(default=None)
    memory_available: int = field(default=None)
    memory_total: int = field(default=None)
    power_scheme: PowerScheme = field(default=None, metadata={'of': 'PowerScheme'})
    topology: Topology = field(default=None, metadata={'of': 'Topology'})
    boot: Optional[str] = field(default=None)
    environment: Optional[Environment] = field(default=None, metadata={'of': 'Environment'})
    fingerprint: Optional[Fingerprint] = field(default=None, metadata={'of': 'Fingerprint'})
    machine: Optional[str] = field(default=None)
    memory_allowance: Optional[MemoryAllowance] = field(default=None, metadata={'of': 'MemoryAllowance'})
    start_time: Optional[int] = field(default=None)
    unreadable: Optional[List[Unreadable]] = field(default=None, metadata={'of': 'Unreadable', 'depth': 1})


@dataclass
class FileSystem:
    """At `host.target.file_system`."""

    kind: str = field(default=None)
    mounted_at: str = field(default=None)
    options: str = field(default=None)
    available: Optional[int] = field(default=None)
    block_size: Optional[int] = field(default=None)  # bytes
    size: Optional[int] = field(default=None)


@dataclass
class HostTarget:
    """At `host.target`, and 1 more."""

    id: int = field(default=None)
    path: str = field(default=None, metadata={'of': 'text'})
    device: Optional[TargetDevice] = field(default=None, metadata={'of': 'TargetDevice'})
    file_system: Optional[FileSystem] = field(default=None, metadata={'of': 'FileSystem'})


@dataclass
class Host:
    """At `host`, and 1 more."""

    name: str = field(default=None)
    rank: int = field(default=None)
    results: HostResults = field(default=None, metadata={'of': 'HostResults'})
    system: System = field(default=None, metadata={'of': 'System'})
    targets: List[HostTarget] = field(default=None, metadata={'of': 'HostTarget', 'depth': 1})
    clock: Optional[Clock] = field(default=None, metadata={'of': 'Clock'})
    missing: Optional[str] = field(default=None)
    notices: Optional[List[Notice]] = field(default=None, metadata={'of': 'Notice', 'depth': 1})
    ranks: Optional[int] = field(default=None)
    summary: Optional[Summary] = field(default=None, metadata={'of': 'Summary'})


@dataclass
class Index:
    """At `index`."""

    command_line: str = field(default=None, metadata={'of': 'text'})
    findings: List[str] = field(default=None, metadata={'depth': 1})
    hosts: List[str] = field(default=None, metadata={'depth': 1})
    identity: str = field(default=None)
    time_spans: List[IndexTimeSpan] = field(default=None, metadata={'of': 'IndexTimeSpan', 'depth': 1})
    disks: Optional[List[str]] = field(default=None, metadata={'depth': 1})
    fingerprint: Optional[str] = field(default=None)
    machine: Optional[str] = field(default=None)
    severity: Optional[str] = field(default=None)
    started_at: Optional[int] = field(default=None)
    unmeasured: Optional[List[Unmeasured]] = field(default=None, metadata={'of': 'Unmeasured', 'depth': 1})


@dataclass
class Limit:
    """At `judgement.limit`."""

    depth: int = field(default=None)
    busiest: Optional[float] = field(default=None)
    busy: Optional[float] = field(default=None)
    ceiling_iops: Optional[float] = field(default=None)  # I/Os per second
    cpu_per_io: Optional[float] = field(default=None)
    device_in_flight: Optional[float] = field(default=None)
    in_flight: Optional[float] = field(default=None)
    in_flight_share: Optional[float] = field(default=None)
    interrupts: Optional[float] = field(default=None)
    leaf_in_flight: Optional[float] = field(default=None)
    limited_by: Optional[str] = field(default=None)
    run_delay: Optional[float] = field(default=None)
    steal: Optional[float] = field(default=None)
    uncrowded_iops: Optional[float] = field(default=None)  # I/Os per second
    user: Optional[float] = field(default=None)


@dataclass
class Outage:
    """At `judgement.outage`."""

    at_end: bool = field(default=None)
    changes: List[OutageChange] = field(default=None, metadata={'of': 'OutageChange', 'depth': 1})
    errors: int = field(default=None)
    ios: int = field(default=None)
    length_s: float = field(default=None)  # s
    start_s: float = field(default=None)  # s
    expected_ios: Optional[float] = field(default=None)
    in_flight: Optional[int] = field(default=None)
    start_utc_ms: Optional[int] = field(default=None)  # ms
    target: Optional[str] = field(default=None)


@dataclass
class Interruptions:
    """At `judgement.steadiness.interruptions`."""

    depth: float = field(default=None)
    end: float = field(default=None)
    share: float = field(default=None)
    start: float = field(default=None)
    times: int = field(default=None)
    period: Any = field(default=None)


@dataclass
class Stalls:
    """At `judgement.steadiness.stalls`."""

    interval: float = field(default=None)
    iops: float = field(default=None)  # I/Os per second
    length: float = field(default=None)
    longest: float = field(default=None)
    period: float = field(default=None)
    share: float = field(default=None)
    start: float = field(default=None)
    times: int = field(default=None)


@dataclass
class Steadiness:
    """At `judgement.steadiness`."""

    autocorrelation: float = field(default=None)
    changes: List[float] = field(default=None, metadata={'depth': 1})
    excursion: float = field(default=None)
    from_iops: float = field(default=None)  # I/Os per second
    interval: float = field(default=None)
    intervals: int = field(default=None)
    iops: float = field(default=None)  # I/Os per second
    mean_iops: float = field(default=None)  # I/Os per second
    outliers: int = field(default=None)
    slope: float = field(default=None)
    to_iops: float = field(default=None)  # I/Os per second
    variation: float = field(default=None)
    verdict: str = field(default=None)
    interruptions: Optional[Interruptions] = field(default=None, metadata={'of': 'Interruptions'})
    latency: Any = field(default=None)
    period: Optional[float] = field(default=None)
    stalls: Optional[Stalls] = field(default=None, metadata={'of': 'Stalls'})
    steady_from: Optional[float] = field(default=None)
    warm_up: Optional[int] = field(default=None)


@dataclass
class PartRead:
    """At `judgement.verdict.part.read`, and 1 more."""

    counted_bytes: int = field(default=None)  # bytes
    counted_ios: int = field(default=None)
    device_bytes: int = field(default=None)  # bytes
    device_ios: int = field(default=None)
    ratio: float = field(default=None)


@dataclass
class VerdictPart:
    """At `judgement.verdict.part`."""

    devices: List[str] = field(default=None, metadata={'depth': 1})
    evidence: List[str] = field(default=None, metadata={'depth': 1})
    leaves: List[str] = field(default=None, metadata={'depth': 1})
    message: str = field(default=None)
    others_bytes: int = field(default=None)  # bytes
    targets: List[str] = field(default=None, metadata={'of': 'text', 'depth': 1})
    verdict: str = field(default=None)
    flush_seconds: Optional[float] = field(default=None)  # s
    flushes: Optional[int] = field(default=None)
    read: Optional[PartRead] = field(default=None, metadata={'of': 'PartRead'})
    remedy: Optional[str] = field(default=None)
    severity: Optional[str] = field(default=None)
    unwritten_bytes: Optional[int] = field(default=None)  # bytes
    write: Optional[PartRead] = field(default=None, metadata={'of': 'PartRead'})


@dataclass
class Verdict:
    """At `judgement.verdict`."""

    parts: List[VerdictPart] = field(default=None, metadata={'of': 'VerdictPart', 'depth': 1})
    time_span: int = field(default=None)
    verdict: str = field(default=None)
    severity: Optional[str] = field(default=None)


@dataclass
class Judgement:
    """At `judgement`."""

    findings: List[Finding] = field(default=None, metadata={'of': 'Finding', 'depth': 1})
    limits: List[Limit] = field(default=None, metadata={'of': 'Limit', 'depth': 1})
    outages: List[List[Outage]] = field(default=None, metadata={'of': 'Outage', 'depth': 2})
    steadiness: List[Steadiness] = field(default=None, metadata={'of': 'Steadiness', 'depth': 1})
    verdicts: List[Verdict] = field(default=None, metadata={'of': 'Verdict', 'depth': 1})


@dataclass
class Alignment:
    """At `merged.alignment`."""

    common_ns: int = field(default=None)  # ns
    intervals_apart_ns: int = field(default=None)  # ns
    start_skew_ns: int = field(default=None)  # ns
    stop_skew_ns: int = field(default=None)  # ns
    clock_uncertainty_ns: Optional[int] = field(default=None)  # ns
    shifted: Optional[bool] = field(default=None)
    truncated: Optional[bool] = field(default=None)


@dataclass
class Etw:
    """At `profile.etw`."""

    disk_io: bool = field(default=None)
    image_load: bool = field(default=None)
    memory_hard_faults: bool = field(default=None)
    memory_page_faults: bool = field(default=None)
    network: bool = field(default=None)
    process: bool = field(default=None)
    registry: bool = field(default=None)
    thread: bool = field(default=None)
    use_cycles_counter: bool = field(default=None)
    use_paged_memory: bool = field(default=None)
    use_perf_timer: bool = field(default=None)
    use_system_timer: bool = field(default=None)


@dataclass
class Affinity:
    """At `profile.time_span.affinity`."""

    cpu: int = field(default=None)
    group: int = field(default=None)


@dataclass
class TargetContent:
    """At `profile.time_span.target.content`."""

    compress: int = field(default=None)
    dedupe: int = field(default=None)


@dataclass
class DistributionRange:
    """At `profile.time_span.target.distribution.range`."""

    io: int = field(default=None)
    span: int = field(default=None)


@dataclass
class TargetDistribution:
    """At `profile.time_span.target.distribution`."""

    kind: str = field(default=None)
    ranges: List[DistributionRange] = field(default=None, metadata={'of': 'DistributionRange', 'depth': 1})


@dataclass
class Size:
    """At `profile.time_span.target.size`, and 1 more."""

    block_size: int = field(default=None)  # bytes
    share: int = field(default=None)


@dataclass
class Zipf:
    """At `profile.time_span.target.spread.zipf`, and 1 more."""

    theta_thousandths: int = field(default=None)


@dataclass
class Spread:
    """At `profile.time_span.target.mix.spread`."""

    zipf: Zipf = field(default=None, metadata={'of': 'Zipf'})


@dataclass
class Mix:
    """At `profile.time_span.target.mix`."""

    block_alignment: int = field(default=None)
    block_size: int = field(default=None)  # bytes
    random_ratio: int = field(default=None)
    share: int = field(default=None)
    write_ratio: int = field(default=None)
    base_file_offset: Optional[int] = field(default=None)
    max_file_size: Optional[int] = field(default=None)
    sizes: Optional[List[Size]] = field(default=None, metadata={'of': 'Size', 'depth': 1})
    spread: Optional[Spread] = field(default=None, metadata={'of': 'Spread'})


@dataclass
class RandomDataSourcePath:
    """At `profile.time_span.target.random_data_source.path`."""

    bytes: List[int] = field(default=None, metadata={'depth': 1})  # bytes


@dataclass
class RandomDataSource:
    """At `profile.time_span.target.random_data_source`."""

    size: int = field(default=None)
    path: Optional[RandomDataSourcePath] = field(default=None, metadata={'of': 'RandomDataSourcePath'})


@dataclass
class Hot:
    """At `profile.time_span.target.spread.hot`."""

    area_percent: int = field(default=None)  # percent
    io_percent: int = field(default=None)  # percent
    moves_every_s: Optional[int] = field(default=None)  # s


@dataclass
class Normal:
    """At `profile.time_span.target.spread.normal`."""

    deviation_percent: int = field(default=None)  # percent


@dataclass
class TargetSpread:
    """At `profile.time_span.target.spread`."""

    hot: Optional[Hot] = field(default=None, metadata={'of': 'Hot'})
    normal: Optional[Normal] = field(default=None, metadata={'of': 'Normal'})
    zipf: Optional[Zipf] = field(default=None, metadata={'of': 'Zipf'})


@dataclass
class TargetThreadTarget:
    """At `profile.time_span.target.thread_target`."""

    thread: int = field(default=None)
    weight: int = field(default=None)


@dataclass
class TargetThroughput:
    """At `profile.time_span.target.throughput`."""

    bytes_per_millisecond: Optional[int] = field(default=None)
    iops: Optional[int] = field(default=None)  # I/Os per second


@dataclass
class TimeSpanTarget:
    """At `profile.time_span.target`."""

    base_file_offset: int = field(default=None)
    block_alignment: int = field(default=None)
    block_size: int = field(default=None)  # bytes
    cache_mode: str = field(default=None)
    interlocked_sequential: bool = field(default=None)
    io_priority: str = field(default=None)
    max_file_size: int = field(default=None)
    memory_mapped_io: bool = field(default=None)
    parallel_async_io: bool = field(default=None)
    path: str = field(default=None, metadata={'of': 'text'})
    random_access: bool = field(default=None)
    random_ratio: int = field(default=None)
    request_count: int = field(default=None)
    sequential_scan: bool = field(default=None)
    temporary_file: bool = field(default=None)
    thread_stride: int = field(default=None)
    thread_targets: List[TargetThreadTarget] = field(default=None, metadata={'of': 'TargetThreadTarget', 'depth': 1})
    threads_per_file: int = field(default=None)
    use_large_pages: bool = field(default=None)
    weight: int = field(default=None)
    write_ratio: int = field(default=None)
    write_through: bool = field(default=None)
    zero_write_buffers: bool = field(default=None)
    atomic: Optional[bool] = field(default=None)
    burst_size: Optional[int] = field(default=None)
    content: Optional[TargetContent] = field(default=None, metadata={'of': 'TargetContent'})
    distribution: Optional[TargetDistribution] = field(default=None, metadata={'of': 'TargetDistribution'})
    dont_cache: Optional[bool] = field(default=None)
    each_once: Optional[bool] = field(default=None)
    fdp: Optional[List[int]] = field(default=None, metadata={'depth': 1})
    file_size: Optional[int] = field(default=None)
    flush_type: Optional[str] = field(default=None)
    mix: Optional[List[Mix]] = field(default=None, metadata={'of': 'Mix', 'depth': 1})
    no_wait: Optional[bool] = field(default=None)
    random_data_source: Optional[RandomDataSource] = field(default=None, metadata={'of': 'RandomDataSource'})
    sizes: Optional[List[Size]] = field(default=None, metadata={'of': 'Size', 'depth': 1})
    spread: Optional[TargetSpread] = field(default=None, metadata={'of': 'TargetSpread'})
    think_time: Optional[int] = field(default=None)
    throughput: Optional[TargetThroughput] = field(default=None, metadata={'of': 'TargetThroughput'})
    trim_ratio: Optional[int] = field(default=None)
    uncached_devices: Optional[bool] = field(default=None)
    write_hint: Optional[str] = field(default=None)
    write_streams: Optional[List[int]] = field(default=None, metadata={'depth': 1})
    write_zeroes_ratio: Optional[int] = field(default=None)
    zoned: Optional[bool] = field(default=None)


@dataclass
class ProfileTimeSpan:
    """At `profile.time_span`."""

    affinity: List[Affinity] = field(default=None, metadata={'of': 'Affinity', 'depth': 1})
    calculate_iops_std_dev: bool = field(default=None)  # I/Os per second
    completion_routines: bool = field(default=None)
    cooldown: int = field(default=None)
    disable_affinity: bool = field(default=None)
    duration: int = field(default=None)
    io_bucket_duration: int = field(default=None)
    measure_latency: bool = field(default=None)
    rand_seed: int = field(default=None)
    random_write_data: bool = field(default=None)
    request_count: int = field(default=None)
    targets: List[TimeSpanTarget] = field(default=None, metadata={'of': 'TimeSpanTarget', 'depth': 1})
    thread_count: int = field(default=None)
    warmup: int = field(default=None)


@dataclass
class Profile:
    """At `profile`, and 1 more."""

    command_line: str = field(default=None, metadata={'of': 'text'})
    experiment_flags: int = field(default=None)
    progress: int = field(default=None)
    result_format: str = field(default=None)
    time_spans: List[ProfileTimeSpan] = field(default=None, metadata={'of': 'ProfileTimeSpan', 'depth': 1})
    verbose: bool = field(default=None)
    verbose_stats: bool = field(default=None)
    etw: Optional[Etw] = field(default=None, metadata={'of': 'Etw'})
    precreate_files: Optional[str] = field(default=None)


@dataclass
class Merged:
    """At `merged`."""

    alignments: List[Alignment] = field(default=None, metadata={'of': 'Alignment', 'depth': 1})
    host: Host = field(default=None, metadata={'of': 'Host'})
    profile: Profile = field(default=None, metadata={'of': 'Profile'})


@dataclass
class Replay:
    """At `method.replay`."""

    duration_given: bool = field(default=None)
    file: str = field(default=None)
    ios: int = field(default=None)
    length_ns: int = field(default=None)  # ns
    speed_thousandths: int = field(default=None)
    stream: Optional[str] = field(default=None)
    writes: Optional[str] = field(default=None)


@dataclass
class UntilRead:
    """At `method.until_read`."""

    bytes: Optional[int] = field(default=None)  # bytes
    times: Optional[int] = field(default=None)


@dataclass
class UntilWritten:
    """At `method.until_written`."""

    bytes: Optional[int] = field(default=None)  # bytes
    times: Optional[int] = field(default=None)


@dataclass
class Method:
    """At `method`."""

    flush_after: bool = field(default=None)
    poll: bool = field(default=None)
    cpu_latency_us: Optional[int] = field(default=None)  # us
    engine: Optional[str] = field(default=None)
    explain: Optional[int] = field(default=None)
    fail_on_outage_ms: Optional[int] = field(default=None)  # ms
    fsync_every: Optional[int] = field(default=None)
    prefill: Optional[str] = field(default=None)
    preset: Optional[str] = field(default=None)
    rate_total: Optional[RateTotal] = field(default=None, metadata={'of': 'RateTotal'})
    replay: Optional[Replay] = field(default=None, metadata={'of': 'Replay'})
    stuck_ms: Optional[int] = field(default=None)  # ms
    until_read: Optional[UntilRead] = field(default=None, metadata={'of': 'UntilRead'})
    until_steady_s: Optional[int] = field(default=None)  # s
    until_written: Optional[UntilWritten] = field(default=None, metadata={'of': 'UntilWritten'})
    verify: Optional[str] = field(default=None)
    verify_as: Optional[List[int]] = field(default=None, metadata={'depth': 1})


@dataclass
class Fill:
    """At `preconditioning.fill`."""

    bytes: int = field(default=None)  # bytes
    command: str = field(default=None)
    seconds: float = field(default=None)  # s


@dataclass
class Round:
    """At `preconditioning.round`."""

    iops: float = field(default=None)  # I/Os per second
    mib_per_s: float = field(default=None)  # 2^20 bytes per second
    mean_ms: Optional[float] = field(default=None)  # ms
    p99_ms: Optional[float] = field(default=None)  # ms


@dataclass
class PreconditioningWindow:
    """At `preconditioning.window`."""

    average_iops: float = field(default=None)  # I/Os per second
    excursion: float = field(default=None)
    slope: float = field(default=None)


@dataclass
class Preconditioning:
    """At `preconditioning`."""

    command: str = field(default=None)
    rounds: List[Round] = field(default=None, metadata={'of': 'Round', 'depth': 1})
    standard: str = field(default=None)
    steady: bool = field(default=None)
    fill: Optional[Fill] = field(default=None, metadata={'of': 'Fill'})
    purged_bytes: Optional[int] = field(default=None)  # bytes
    window: Optional[PreconditioningWindow] = field(default=None, metadata={'of': 'PreconditioningWindow'})


@dataclass
class Claimed:
    """At `program.claimed`."""

    read: Throughput = field(default=None, metadata={'of': 'Throughput'})
    source: str = field(default=None)
    write: Throughput = field(default=None, metadata={'of': 'Throughput'})
    seconds: Optional[float] = field(default=None)  # s


@dataclass
class CountedRead:
    """At `program.counted.read`."""

    bytes: int = field(default=None)  # bytes
    calls: int = field(default=None)


@dataclass
class CountedWrite:
    """At `program.counted.write`."""

    bytes: int = field(default=None)  # bytes
    calls: int = field(default=None)


@dataclass
class Counted:
    """At `program.counted`."""

    cancelled_write_bytes: int = field(default=None)  # bytes
    read: CountedRead = field(default=None, metadata={'of': 'CountedRead'})
    read_bytes: int = field(default=None)  # bytes
    write: CountedWrite = field(default=None, metadata={'of': 'CountedWrite'})
    write_bytes: int = field(default=None)  # bytes


@dataclass
class Ios:
    """At `program.engine.ios`."""

    counted_share: float = field(default=None)
    reads: int = field(default=None)
    writes: int = field(default=None)
    mean_bytes: Optional[float] = field(default=None)  # bytes


@dataclass
class ProgramEngine:
    """At `program.engine`."""

    engine: str = field(default=None)
    ios: Optional[Ios] = field(default=None, metadata={'of': 'Ios'})
    uncounted_reason: Optional[str] = field(default=None)


@dataclass
class Deviceless:
    """At `program.read.deviceless`, and 1 more."""

    bytes: int = field(default=None)  # bytes
    calls: int = field(default=None)


@dataclass
class Elsewhere:
    """At `program.read.elsewhere`, and 1 more."""

    bytes: int = field(default=None)  # bytes
    calls: int = field(default=None)


@dataclass
class Storage:
    """At `program.read.storage`, and 1 more."""

    bytes: int = field(default=None)  # bytes
    calls: int = field(default=None)


@dataclass
class Unclear:
    """At `program.read.unclear`, and 1 more."""

    bytes: int = field(default=None)  # bytes
    calls: int = field(default=None)


@dataclass
class ProgramRead:
    """At `program.read`, and 1 more."""

    deviceless: Deviceless = field(default=None, metadata={'of': 'Deviceless'})
    elsewhere: Elsewhere = field(default=None, metadata={'of': 'Elsewhere'})
    storage: Storage = field(default=None, metadata={'of': 'Storage'})
    unclear: Unclear = field(default=None, metadata={'of': 'Unclear'})


@dataclass
class Program:
    """At `program`."""

    counted: Counted = field(default=None, metadata={'of': 'Counted'})
    cpu_ns: int = field(default=None)  # ns
    observer_cpu_share: float = field(default=None)
    processes: int = field(default=None)
    read: ProgramRead = field(default=None, metadata={'of': 'ProgramRead'})
    write: ProgramRead = field(default=None, metadata={'of': 'ProgramRead'})
    bypasses_cache: Optional[bool] = field(default=None)
    claimed: Optional[Claimed] = field(default=None, metadata={'of': 'Claimed'})
    engines: Optional[List[ProgramEngine]] = field(default=None, metadata={'of': 'ProgramEngine', 'depth': 1})
    exit_code: Optional[int] = field(default=None)
    files: Optional[List[str]] = field(default=None, metadata={'depth': 1})
    left_running: Optional[int] = field(default=None)
    stopped_us: Optional[int] = field(default=None)  # us
    unreadable: Optional[int] = field(default=None)
    words: Optional[List[str]] = field(default=None, metadata={'depth': 1})


@dataclass
class LatencyMs:
    """At `summary.latency_ms`."""

    max: Optional[float] = field(default=None)
    mean: Optional[float] = field(default=None)
    p50: Optional[float] = field(default=None)
    p95: Optional[float] = field(default=None)
    p99: Optional[float] = field(default=None)
    p999: Optional[float] = field(default=None)


@dataclass
class RecordSummary:
    """At `summary`."""

    iops: Optional[float] = field(default=None)  # I/Os per second
    latency_ms: Optional[LatencyMs] = field(default=None, metadata={'of': 'LatencyMs'})
    mib_per_s: Optional[float] = field(default=None)  # 2^20 bytes per second
    severity: Optional[str] = field(default=None)
    verdict: Optional[str] = field(default=None)


@dataclass
class Record:
    """At the document."""

    figures: Figures = field(default=None, metadata={'of': 'Figures'})
    format: Format = field(default=None, metadata={'of': 'Format'})
    hosts: List[Host] = field(default=None, metadata={'of': 'Host', 'depth': 1})
    index: Index = field(default=None, metadata={'of': 'Index'})
    judgement: Judgement = field(default=None, metadata={'of': 'Judgement'})
    profile: Profile = field(default=None, metadata={'of': 'Profile'})
    summary: RecordSummary = field(default=None, metadata={'of': 'RecordSummary'})
    merged: Optional[Merged] = field(default=None, metadata={'of': 'Merged'})
    method: Optional[Method] = field(default=None, metadata={'of': 'Method'})
    preconditioning: Optional[Preconditioning] = field(default=None, metadata={'of': 'Preconditioning'})
    program: Optional[Program] = field(default=None, metadata={'of': 'Program'})


@dataclass
class StreamInterval:
    """At the document."""

    end_ms: int = field(default=None)  # ms
    missed: int = field(default=None)
    read: Read = field(default=None, metadata={'of': 'Read'})
    started_at: int = field(default=None)
    time_span: int = field(default=None)
    total: Read = field(default=None, metadata={'of': 'Read'})
    write: Read = field(default=None, metadata={'of': 'Read'})
    partial_s: Optional[float] = field(default=None)  # s
    percentiles: Optional[Percentiles] = field(default=None, metadata={'of': 'Percentiles'})
    response: Optional[Response] = field(default=None, metadata={'of': 'Response'})
