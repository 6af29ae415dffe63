"""What records and streams hold, as dataclasses.

Made by tools/generate.py of docs/reference/record.schema.json and docs/reference/stream.schema.json: change those, not this. What each
field means is in docs/reference/record-fields.md. A field is None if the program that wrote the document did not have it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Union


@dataclass
class Average:
    """At `figures.time_span.cpu.average`, and 1 more."""

    idle: Optional[float] = None
    kernel: Optional[float] = None
    usage: Optional[float] = None
    user: Optional[float] = None


@dataclass
class Columns:
    """At `figures.time_span.cpu.columns`."""

    class_: Optional[bool] = field(default=None, metadata={'key': 'class'})
    core: Optional[bool] = None
    group: Optional[bool] = None
    node: Optional[bool] = None
    socket: Optional[bool] = None


@dataclass
class Row:
    """At `figures.time_span.cpu.row`."""

    class_: Optional[int] = field(default=None, metadata={'key': 'class'})
    core: Optional[int] = None
    cpu: Optional[int] = None
    group: Optional[int] = None
    node: Optional[int] = None
    performance: Optional[bool] = None
    socket: Optional[int] = None
    usage: Optional[Average] = field(default=None, metadata={'of': 'Average'})


@dataclass
class Cpu:
    """At `figures.time_span.cpu`."""

    average: Optional[Average] = field(default=None, metadata={'of': 'Average'})
    columns: Optional[Columns] = field(default=None, metadata={'of': 'Columns'})
    rows: Optional[List[Row]] = field(default=None, metadata={'of': 'Row', 'depth': 1})


@dataclass
class TotalLatency:
    """At `figures.time_span.read.total.latency`, and 5 more."""

    mean: Optional[float] = None
    std_dev: Optional[float] = None


@dataclass
class Throughput:
    """At `figures.totals.read`, and 16 more."""

    bytes: Optional[int] = None  # bytes
    device_iops: Optional[float] = None  # I/Os per second
    device_mib_per_s: Optional[float] = None  # 2^20 bytes per second
    iops: Optional[float] = None  # I/Os per second
    iops_std_dev: Optional[float] = None  # I/Os per second
    ios: Optional[int] = None
    max_ms: Optional[float] = None  # ms
    mean_ms: Optional[float] = None  # ms
    mib_per_s: Optional[float] = None  # 2^20 bytes per second
    min_ms: Optional[float] = None  # ms
    nowait_misses: Optional[int] = None
    std_dev_ms: Optional[float] = None  # ms


@dataclass
class Total:
    """At `figures.time_span.read.total`, and 13 more."""

    bytes: Optional[int] = None  # bytes
    discards: Optional[int] = None
    durable_writes: Optional[int] = None
    flushes: Optional[int] = None
    iops_std_dev: Optional[float] = None  # I/Os per second
    latency: Optional[TotalLatency] = field(default=None, metadata={'of': 'TotalLatency'})
    max: Optional[float] = None
    mean: Optional[float] = None
    median: Optional[float] = None
    p99: Optional[float] = None
    p999: Optional[float] = None
    per_s: Optional[float] = None  # per second
    throughput: Optional[Throughput] = field(default=None, metadata={'of': 'Throughput'})
    write_zeroes: Optional[int] = None


@dataclass
class DiscardsRow:
    """At `figures.time_span.read.row`, and 6 more."""

    figures: Optional[Total] = field(default=None, metadata={'of': 'Total'})
    path: Optional[str] = field(default=None, metadata={'of': 'text'})
    size: Optional[int] = None
    thread: Optional[int] = None


@dataclass
class Discards:
    """At `figures.time_span.discards`."""

    rows: Optional[List[DiscardsRow]] = field(default=None, metadata={'of': 'DiscardsRow', 'depth': 1})
    total: Optional[Total] = field(default=None, metadata={'of': 'Total'})


@dataclass
class Range:
    """At `figures.time_span.distribution.range`, and 2 more."""

    io_base: Optional[int] = None
    io_span: Optional[int] = None
    length: Optional[int] = None
    start: Optional[int] = None


@dataclass
class User:
    """At `figures.time_span.distribution.user`."""

    path: Optional[str] = field(default=None, metadata={'of': 'text'})
    threads: Optional[List[int]] = field(default=None, metadata={'depth': 1})


@dataclass
class Distribution:
    """At `figures.time_span.distribution`."""

    ranges: Optional[List[Range]] = field(default=None, metadata={'of': 'Range', 'depth': 1})
    users: Optional[List[User]] = field(default=None, metadata={'of': 'User', 'depth': 1})


@dataclass
class DurableWrites:
    """At `figures.time_span.durable_writes`."""

    rows: Optional[List[DiscardsRow]] = field(default=None, metadata={'of': 'DiscardsRow', 'depth': 1})
    total: Optional[Total] = field(default=None, metadata={'of': 'Total'})


@dataclass
class Percentile:
    """At `index.time_span.percentile`, and 19 more."""

    percent: Optional[float] = None  # percent
    read: Optional[float] = None
    total: Optional[float] = None
    write: Optional[float] = None


@dataclass
class FinePercentiles:
    """At `figures.time_span.fine_percentiles`."""

    distinct_reads: Optional[int] = None
    distinct_total: Optional[int] = None
    distinct_writes: Optional[int] = None
    rows: Optional[List[Percentile]] = field(default=None, metadata={'of': 'Percentile', 'depth': 1})


@dataclass
class Flushes:
    """At `figures.time_span.flushes`."""

    rows: Optional[List[DiscardsRow]] = field(default=None, metadata={'of': 'DiscardsRow', 'depth': 1})
    total: Optional[Total] = field(default=None, metadata={'of': 'Total'})


@dataclass
class Failed:
    """At `figures.time_span.integrity.row.results.failed`, and 1 more."""

    corrupt: Optional[int] = None
    foreign: Optional[int] = None
    lost: Optional[int] = None
    misplaced: Optional[int] = None
    not_atomic: Optional[int] = None
    stale: Optional[int] = None
    torn: Optional[int] = None
    unreadable: Optional[int] = None
    unwritten: Optional[int] = None


@dataclass
class Found:
    """At `figures.time_span.integrity.row.results.failure.found`, and 1 more."""

    generation: Optional[int] = None
    of_this_run: Optional[bool] = None
    offset: Optional[int] = None
    target: Optional[int] = None
    write: Optional[int] = None
    writer: Optional[int] = None


@dataclass
class Failure:
    """At `figures.time_span.integrity.row.results.failure`, and 1 more."""

    at_us: Optional[int] = None  # us
    expected: Optional[int] = None
    fault: Optional[str] = None
    found: Optional[Found] = field(default=None, metadata={'of': 'Found'})
    offset: Optional[int] = None


@dataclass
class Results:
    """At `figures.time_span.integrity.row.results`, and 1 more."""

    acknowledged: Optional[int] = None
    failed: Optional[Failed] = field(default=None, metadata={'of': 'Failed'})
    failures: Optional[List[Failure]] = field(default=None, metadata={'of': 'Failure', 'depth': 1})
    stamped: Optional[int] = None
    stamped_as: Optional[int] = None
    undecided: Optional[int] = None
    unknown: Optional[int] = None
    verified: Optional[int] = None


@dataclass
class IntegrityRow:
    """At `figures.time_span.integrity.row`."""

    path: Optional[str] = None
    results: Optional[Results] = field(default=None, metadata={'of': 'Results'})
    target: Optional[int] = None


@dataclass
class Integrity:
    """At `figures.time_span.integrity`."""

    rows: Optional[List[IntegrityRow]] = field(default=None, metadata={'of': 'IntegrityRow', 'depth': 1})


@dataclass
class Percentiles:
    """At `percentiles`, and 1 more."""

    p50: Optional[float] = None
    p95: Optional[float] = None
    p99: Optional[float] = None
    p999: Optional[float] = None


@dataclass
class Latency:
    """At `read.latency`, and 5 more."""

    max: Optional[float] = None
    mean: Optional[float] = None
    min: Optional[float] = None
    std_dev: Optional[float] = None


@dataclass
class Read:
    """At `read`, and 5 more."""

    iops: Optional[float] = None  # I/Os per second
    ios: Optional[int] = None
    latency: Optional[Latency] = field(default=None, metadata={'of': 'Latency'})
    mib_per_s: Optional[float] = None  # 2^20 bytes per second


@dataclass
class Response:
    """At `response`, and 1 more."""

    max: Optional[float] = None
    p50: Optional[float] = None
    p95: Optional[float] = None
    p99: Optional[float] = None
    p999: Optional[float] = None


@dataclass
class Interval:
    """At `figures.time_span.iops.interval`."""

    end_ms: Optional[int] = None  # ms
    failed: Optional[int] = None
    partial_s: Optional[float] = None  # s
    percentiles: Optional[Percentiles] = field(default=None, metadata={'of': 'Percentiles'})
    read: Optional[Read] = field(default=None, metadata={'of': 'Read'})
    response: Optional[Response] = field(default=None, metadata={'of': 'Response'})
    started_at: Optional[int] = None
    total: Optional[Read] = field(default=None, metadata={'of': 'Read'})
    write: Optional[Read] = field(default=None, metadata={'of': 'Read'})


@dataclass
class Iops:
    """At `figures.time_span.iops`."""

    interval_count: Optional[int] = None
    intervals: Optional[List[Interval]] = field(default=None, metadata={'of': 'Interval', 'depth': 1})
    read_std_dev: Optional[float] = None
    total_std_dev: Optional[float] = None
    weighted_std_devs: Optional[Percentile] = field(default=None, metadata={'of': 'Percentile'})
    write_std_dev: Optional[float] = None


@dataclass
class All:
    """At `figures.time_span.latency.all`, and 3 more."""

    max: Optional[Percentile] = field(default=None, metadata={'of': 'Percentile'})
    min: Optional[Percentile] = field(default=None, metadata={'of': 'Percentile'})
    percentiles: Optional[List[Percentile]] = field(default=None, metadata={'of': 'Percentile', 'depth': 1})


@dataclass
class Path:
    """At `figures.time_span.latency.path`."""

    chart: Optional[All] = field(default=None, metadata={'of': 'All'})
    path: Optional[str] = field(default=None, metadata={'of': 'text'})


@dataclass
class TimeSpanLatency:
    """At `figures.time_span.latency`."""

    all: Optional[All] = field(default=None, metadata={'of': 'All'})
    paths: Optional[List[Path]] = field(default=None, metadata={'of': 'Path', 'depth': 1})


@dataclass
class Write:
    """At `figures.time_span.nowait.row.read`, and 3 more."""

    ios: Optional[int] = None
    misses: Optional[int] = None
    percent: Optional[float] = None  # percent


@dataclass
class NowaitRow:
    """At `figures.time_span.nowait.row`."""

    path: Optional[str] = None
    read: Optional[Write] = field(default=None, metadata={'of': 'Write'})
    thread: Optional[int] = None
    write: Optional[Write] = field(default=None, metadata={'of': 'Write'})


@dataclass
class NowaitTotal:
    """At `figures.time_span.nowait.total`."""

    read: Optional[Write] = field(default=None, metadata={'of': 'Write'})
    write: Optional[Write] = field(default=None, metadata={'of': 'Write'})


@dataclass
class Nowait:
    """At `figures.time_span.nowait`."""

    rows: Optional[List[NowaitRow]] = field(default=None, metadata={'of': 'NowaitRow', 'depth': 1})
    total: Optional[NowaitTotal] = field(default=None, metadata={'of': 'NowaitTotal'})


@dataclass
class ResponseRead:
    """At `figures.time_span.paced.service.read`, and 1 more."""

    mean: Optional[float] = None
    std_dev: Optional[float] = None


@dataclass
class ResponseTotal:
    """At `figures.time_span.paced.service.total`, and 1 more."""

    mean: Optional[float] = None
    std_dev: Optional[float] = None


@dataclass
class ResponseWrite:
    """At `figures.time_span.paced.service.write`, and 1 more."""

    mean: Optional[float] = None
    std_dev: Optional[float] = None


@dataclass
class Service:
    """At `figures.time_span.paced.service`, and 1 more."""

    chart: Optional[All] = field(default=None, metadata={'of': 'All'})
    read: Optional[ResponseRead] = field(default=None, metadata={'of': 'ResponseRead'})
    total: Optional[ResponseTotal] = field(default=None, metadata={'of': 'ResponseTotal'})
    write: Optional[ResponseWrite] = field(default=None, metadata={'of': 'ResponseWrite'})


@dataclass
class Paced:
    """At `figures.time_span.paced`."""

    iops: Optional[float] = None  # I/Os per second
    ios: Optional[int] = None
    late_starts: Optional[int] = None
    later_than: Optional[List[int]] = field(default=None, metadata={'depth': 1})
    max_delay: Optional[float] = None
    max_not_submitted_delay: Optional[float] = None
    mean_delay: Optional[float] = None
    not_submitted: Optional[int] = None
    offered_iops: Optional[float] = None  # I/Os per second
    response: Optional[Service] = field(default=None, metadata={'of': 'Service'})
    service: Optional[Service] = field(default=None, metadata={'of': 'Service'})


@dataclass
class TimeSpanRead:
    """At `figures.time_span.read`."""

    rows: Optional[List[DiscardsRow]] = field(default=None, metadata={'of': 'DiscardsRow', 'depth': 1})
    total: Optional[Total] = field(default=None, metadata={'of': 'Total'})


@dataclass
class TimeSpanTotal:
    """At `figures.time_span.total`."""

    rows: Optional[List[DiscardsRow]] = field(default=None, metadata={'of': 'DiscardsRow', 'depth': 1})
    total: Optional[Total] = field(default=None, metadata={'of': 'Total'})


@dataclass
class Count:
    """At `figures.time_span.trace.count`, and 1 more."""

    count: Optional[int] = None
    event: Optional[str] = None
    reason: Optional[str] = None


@dataclass
class Moments:
    """At `host.results.time_span.thread.target.flushes.moments`, and 42 more."""

    count: Optional[int] = None
    max: Optional[int] = None
    min: Optional[int] = None
    squares: Optional[str] = None
    sum: Optional[str] = None


@dataclass
class ReadTimes:
    """At `host.results.time_span.observed.trace.device.read.times`, and 1 more."""

    moments: Optional[Moments] = field(default=None, metadata={'of': 'Moments'})
    packed: Optional[str] = None


@dataclass
class DeviceRead:
    """At `figures.time_span.trace.device.read`, and 3 more."""

    mean: Optional[float] = None
    median: Optional[float] = None
    own: Optional[float] = None
    p99: Optional[float] = None
    requests: Optional[int] = None
    timed: Optional[int] = None
    times: Optional[ReadTimes] = field(default=None, metadata={'of': 'ReadTimes'})


@dataclass
class Device:
    """At `figures.time_span.trace.device`, and 1 more."""

    device: Optional[str] = None
    flushes: Optional[int] = None
    read: Optional[DeviceRead] = field(default=None, metadata={'of': 'DeviceRead'})
    reason: Optional[str] = None
    targets: Optional[List[int]] = field(default=None, metadata={'depth': 1})
    write: Optional[DeviceRead] = field(default=None, metadata={'of': 'DeviceRead'})


@dataclass
class Session:
    """At `figures.time_span.trace.session`, and 1 more."""

    buffer_kib: Optional[int] = None
    buffers: Optional[int] = None
    clock: Optional[str] = None
    lost_events: Optional[int] = None
    read: Optional[int] = None


@dataclass
class Trace:
    """At `figures.time_span.trace`, and 1 more."""

    counts: Optional[List[Count]] = field(default=None, metadata={'of': 'Count', 'depth': 1})
    devices: Optional[List[Device]] = field(default=None, metadata={'of': 'Device', 'depth': 1})
    session: Optional[Session] = field(default=None, metadata={'of': 'Session'})


@dataclass
class Waits:
    """At `figures.time_span.wait.waits`, and 2 more."""

    completion_waits: Optional[int] = None
    lookaside_completions: Optional[List[int]] = field(default=None, metadata={'depth': 1})
    lookasides: Optional[int] = None
    throttle_sleeps: Optional[int] = None
    throttle_waits: Optional[int] = None


@dataclass
class Wait:
    """At `figures.time_span.wait`."""

    thread: Optional[int] = None
    waits: Optional[Waits] = field(default=None, metadata={'of': 'Waits'})


@dataclass
class TimeSpanWrite:
    """At `figures.time_span.write`."""

    rows: Optional[List[DiscardsRow]] = field(default=None, metadata={'of': 'DiscardsRow', 'depth': 1})
    total: Optional[Total] = field(default=None, metadata={'of': 'Total'})


@dataclass
class WriteZeroes:
    """At `figures.time_span.write_zeroes`."""

    rows: Optional[List[DiscardsRow]] = field(default=None, metadata={'of': 'DiscardsRow', 'depth': 1})
    total: Optional[Total] = field(default=None, metadata={'of': 'Total'})


@dataclass
class TimeSpan:
    """At `figures.time_span`."""

    cpu: Optional[Cpu] = field(default=None, metadata={'of': 'Cpu'})
    discards: Optional[Discards] = field(default=None, metadata={'of': 'Discards'})
    distributions: Optional[List[Distribution]] = field(default=None, metadata={'of': 'Distribution', 'depth': 1})
    durable_writes: Optional[DurableWrites] = field(default=None, metadata={'of': 'DurableWrites'})
    failed: Optional[int] = None
    fine_percentiles: Optional[FinePercentiles] = field(default=None, metadata={'of': 'FinePercentiles'})
    floating_pool: Optional[bool] = None
    flushes: Optional[Flushes] = field(default=None, metadata={'of': 'Flushes'})
    integrity: Optional[Integrity] = field(default=None, metadata={'of': 'Integrity'})
    iops: Optional[Iops] = field(default=None, metadata={'of': 'Iops'})
    latency: Optional[TimeSpanLatency] = field(default=None, metadata={'of': 'TimeSpanLatency'})
    nowait: Optional[Nowait] = field(default=None, metadata={'of': 'Nowait'})
    paced: Optional[Paced] = field(default=None, metadata={'of': 'Paced'})
    parts: Optional[Dict[str, str]] = None
    read: Optional[TimeSpanRead] = field(default=None, metadata={'of': 'TimeSpanRead'})
    request_count: Optional[int] = None
    seconds: Optional[float] = None  # s
    thread_count: Optional[int] = None
    total: Optional[TimeSpanTotal] = field(default=None, metadata={'of': 'TimeSpanTotal'})
    trace: Optional[Trace] = field(default=None, metadata={'of': 'Trace'})
    waits: Optional[List[Wait]] = field(default=None, metadata={'of': 'Wait', 'depth': 1})
    write: Optional[TimeSpanWrite] = field(default=None, metadata={'of': 'TimeSpanWrite'})
    write_zeroes: Optional[WriteZeroes] = field(default=None, metadata={'of': 'WriteZeroes'})


@dataclass
class Totals:
    """At `figures.totals`."""

    read: Optional[Throughput] = field(default=None, metadata={'of': 'Throughput'})
    seconds: Optional[float] = None  # s
    total: Optional[Throughput] = field(default=None, metadata={'of': 'Throughput'})
    write: Optional[Throughput] = field(default=None, metadata={'of': 'Throughput'})


@dataclass
class Figures:
    """At `figures`."""

    time_spans: Optional[List[TimeSpan]] = field(default=None, metadata={'of': 'TimeSpan', 'depth': 1})
    totals: Optional[Totals] = field(default=None, metadata={'of': 'Totals'})


@dataclass
class Format:
    """At `format`."""

    name: Optional[str] = None
    version: Optional[int] = None


@dataclass
class Window:
    """At `host.clock.window`."""

    end_ns: Optional[int] = None  # ns
    start_ns: Optional[int] = None  # ns


@dataclass
class Clock:
    """At `host.clock`."""

    drift_ns: Any = None  # ns
    offset_ns: Optional[int] = None  # ns
    uncertainty_after_ns: Any = None  # ns
    uncertainty_ns: Optional[int] = None  # ns
    windows: Optional[List[Window]] = field(default=None, metadata={'of': 'Window', 'depth': 1})


@dataclass
class Notice:
    """At `host.notice`."""

    message: Optional[str] = None
    severity: Optional[str] = None
    time_span: Optional[int] = None


@dataclass
class TimeSpanCpu:
    """At `host.results.time_span.cpu`, and 1 more."""

    idle: Optional[int] = None
    kernel: Optional[int] = None
    user: Optional[int] = None


@dataclass
class Ended:
    """At `host.results.time_span.ended`, and 1 more."""

    after: Optional[int] = None
    cause: Optional[str] = None


@dataclass
class Error:
    """At `host.results.time_span.error`, and 1 more."""

    at_us: Optional[List[int]] = field(default=None, metadata={'depth': 1})  # us
    count: Optional[int] = None
    direction: Optional[str] = None
    errno: Optional[int] = None
    first_offset: Optional[int] = None
    target: Optional[int] = None


@dataclass
class IntervalsInterval:
    """At `host.results.time_span.intervals.interval`, and 3 more."""

    latencies: Optional[List[List[int]]] = field(default=None, metadata={'depth': 2})
    read_bytes: Optional[int] = None  # bytes
    write_bytes: Optional[int] = None  # bytes


@dataclass
class Intervals:
    """At `host.results.time_span.intervals`, and 1 more."""

    intervals: Optional[List[IntervalsInterval]] = field(default=None, metadata={'of': 'IntervalsInterval', 'depth': 1})


@dataclass
class DataReduction:
    """At `host.results.time_span.observed.content.data_reduction`."""

    compresses: Optional[bool] = None
    deduplicates: Optional[bool] = None
    name: Optional[str] = None


@dataclass
class Sample:
    """At `host.results.time_span.observed.content.sample`."""

    block_size: Optional[int] = None  # bytes
    blocks: Optional[int] = None
    compressed: Optional[int] = None
    direct: Optional[bool] = None
    duplicates: Optional[int] = None
    unwritten: Optional[int] = None
    unwritten_zeros: Optional[int] = None
    zeros: Optional[int] = None


@dataclass
class Space:
    """At `host.results.time_span.observed.content.space`, and 2 more."""

    compressed: Optional[int] = None
    examined: Optional[int] = None
    fragments: Optional[int] = None
    holes: Optional[int] = None
    inline: Optional[int] = None
    pending: Optional[int] = None
    repeated: Optional[int] = None
    shared: Optional[int] = None
    unwritten: Optional[int] = None


@dataclass
class Content:
    """At `host.results.time_span.observed.content`."""

    data_reduction: Optional[List[DataReduction]] = field(default=None, metadata={'of': 'DataReduction', 'depth': 1})
    device: Optional[bool] = None
    discards: Optional[bool] = None
    from_: Optional[int] = field(default=None, metadata={'key': 'from'})
    nanos: Optional[int] = None
    rotational: Optional[bool] = None
    sample: Optional[Sample] = field(default=None, metadata={'of': 'Sample'})
    space: Optional[Space] = field(default=None, metadata={'of': 'Space'})
    target: Optional[int] = None
    to: Optional[int] = None


@dataclass
class Delays:
    """At `host.results.time_span.observed.delays`."""

    frozen_us: Optional[int] = None  # us
    late_us: Optional[int] = None  # us
    late_workers_active_us: Optional[int] = None  # us
    longest_at_us: Optional[int] = None  # us
    longest_us: Optional[int] = None  # us
    sigcont_count: Optional[int] = None
    suspended_us: Optional[int] = None  # us
    times: Optional[int] = None
    total_us: Optional[int] = None  # us
    was_stopped: Optional[bool] = None
    workers_active_us: Optional[int] = None  # us


@dataclass
class Health:
    """At `host.results.time_span.observed.device_log.after.health`, and 1 more."""

    critical: Optional[int] = None
    critical_minutes: Optional[int] = None
    heavy_throttled_s: Optional[int] = None  # s
    heavy_throttles: Optional[int] = None
    kelvin: Optional[int] = None
    light_throttled_s: Optional[int] = None  # s
    light_throttles: Optional[int] = None
    media_errors: Optional[int] = None
    spare: Optional[int] = None
    spare_threshold: Optional[int] = None
    used: Optional[int] = None
    warning_minutes: Optional[int] = None


@dataclass
class Media:
    """At `host.results.time_span.observed.device_log.after.media`, and 1 more."""

    erased_bytes: Optional[int] = None  # bytes
    host_bytes: Optional[int] = None  # bytes
    media_bytes: Optional[int] = None  # bytes


@dataclass
class ReadBin:
    """At `host.results.time_span.observed.device_log.after.volume.read_bin`, and 3 more."""

    count: Optional[int] = None
    lower_us: Optional[int] = None  # us
    upper_us: Optional[int] = None  # us


@dataclass
class Volume:
    """At `host.results.time_span.observed.device_log.after.volume`, and 1 more."""

    over_instance_iops_us: Optional[int] = None  # us
    over_instance_throughput_us: Optional[int] = None  # us
    over_volume_iops_us: Optional[int] = None  # us
    over_volume_throughput_us: Optional[int] = None  # us
    queue_length: Optional[int] = None
    read_bins: Optional[List[ReadBin]] = field(default=None, metadata={'of': 'ReadBin', 'depth': 1})
    read_bytes: Optional[int] = None  # bytes
    read_us: Optional[int] = None  # us
    reads: Optional[int] = None
    write_bins: Optional[List[ReadBin]] = field(default=None, metadata={'of': 'ReadBin', 'depth': 1})
    write_bytes: Optional[int] = None  # bytes
    write_us: Optional[int] = None  # us
    writes: Optional[int] = None


@dataclass
class After:
    """At `host.results.time_span.observed.device_log.after`, and 1 more."""

    health: Optional[Health] = field(default=None, metadata={'of': 'Health'})
    media: Optional[Media] = field(default=None, metadata={'of': 'Media'})
    volume: Optional[Volume] = field(default=None, metadata={'of': 'Volume'})


@dataclass
class DeviceLog:
    """At `host.results.time_span.observed.device_log`."""

    after: Optional[After] = field(default=None, metadata={'of': 'After'})
    before: Optional[After] = field(default=None, metadata={'of': 'After'})
    device: Optional[str] = None
    error: Optional[str] = None
    interval_ns: Optional[int] = None  # ns
    source: Optional[str] = None


@dataclass
class Maintenance:
    """At `host.results.time_span.observed.devices.array.maintenance`."""

    action: Optional[str] = None
    done: Optional[List[float]] = field(default=None, metadata={'depth': 1})


@dataclass
class Array:
    """At `host.results.time_span.observed.devices.array`."""

    maintenance: Optional[Maintenance] = field(default=None, metadata={'of': 'Maintenance'})
    members: Optional[int] = None
    missing: Optional[List[int]] = field(default=None, metadata={'depth': 1})
    name: Optional[str] = None
    state_unknown: Optional[bool] = None


@dataclass
class Discard:
    """At `host.results.time_span.observed.devices.device.activity.read`, and 2 more."""

    bytes: Optional[int] = None  # bytes
    ios: Optional[int] = None
    merges: Optional[int] = None


@dataclass
class Activity:
    """At `host.results.time_span.observed.devices.device.activity`."""

    busy_ms: Optional[int] = None  # ms
    discard: Optional[Discard] = field(default=None, metadata={'of': 'Discard'})
    discard_ms: Optional[int] = None  # ms
    flush_ms: Optional[int] = None  # ms
    flushes: Optional[int] = None
    in_flight: Optional[int] = None
    queue_ms: Optional[int] = None  # ms
    read: Optional[Discard] = field(default=None, metadata={'of': 'Discard'})
    write: Optional[Discard] = field(default=None, metadata={'of': 'Discard'})


@dataclass
class Change:
    """At `host.results.time_span.observed.devices.device.change`."""

    after_us: Optional[int] = None  # us
    from_: Optional[str] = field(default=None, metadata={'key': 'from'})
    observed_us: Optional[int] = None  # us
    setting: Optional[str] = None
    to: Optional[str] = None


@dataclass
class DevicesDevice:
    """At `host.results.time_span.observed.devices.device`."""

    activity: Optional[Activity] = field(default=None, metadata={'of': 'Activity'})
    changes: Optional[List[Change]] = field(default=None, metadata={'of': 'Change', 'depth': 1})
    counts_flushes: Optional[bool] = None
    has_statistics: Optional[bool] = None
    in_flight_before: Optional[int] = None
    name: Optional[str] = None
    statistics_switched: Optional[bool] = None


@dataclass
class Process:
    """At `host.results.time_span.observed.devices.process`."""

    cancelled_write_bytes: Optional[int] = None  # bytes
    read_bytes: Optional[int] = None  # bytes
    read_calls: Optional[int] = None
    write_bytes: Optional[int] = None  # bytes


@dataclass
class Times:
    """At `host.results.time_span.observed.devices.remote.activity.read.times`, and 2 more."""

    queue_ms: Optional[int] = None  # ms
    round_trip_ms: Optional[int] = None  # ms
    total_ms: Optional[int] = None  # ms


@dataclass
class Commit:
    """At `host.results.time_span.observed.devices.remote.activity.read`, and 2 more."""

    errors: Optional[int] = None
    requests: Optional[int] = None
    timeouts: Optional[int] = None
    times: Optional[Times] = field(default=None, metadata={'of': 'Times'})
    transmissions: Optional[int] = None


@dataclass
class RemoteActivity:
    """At `host.results.time_span.observed.devices.remote.activity`."""

    commit: Optional[Commit] = field(default=None, metadata={'of': 'Commit'})
    read: Optional[Commit] = field(default=None, metadata={'of': 'Commit'})
    read_bytes: Optional[int] = None  # bytes
    reconnects: Optional[int] = None
    write: Optional[Commit] = field(default=None, metadata={'of': 'Commit'})
    write_bytes: Optional[int] = None  # bytes


@dataclass
class Tcp:
    """At `host.results.time_span.observed.devices.remote.tcp`."""

    retransmitted: Optional[int] = None
    sent: Optional[int] = None


@dataclass
class Remote:
    """At `host.results.time_span.observed.devices.remote`."""

    activity: Optional[RemoteActivity] = field(default=None, metadata={'of': 'RemoteActivity'})
    name: Optional[str] = None
    tcp: Optional[Tcp] = field(default=None, metadata={'of': 'Tcp'})


@dataclass
class DevicesSpace:
    """At `host.results.time_span.observed.devices.space`."""

    after: Optional[Space] = field(default=None, metadata={'of': 'Space'})
    before: Optional[Space] = field(default=None, metadata={'of': 'Space'})
    device: Optional[str] = None
    target: Optional[int] = None


@dataclass
class Atomic:
    """At `host.results.time_span.observed.devices.target.atomic`."""

    device_max: Optional[int] = None
    segments_max: Optional[int] = None
    unit_max: Optional[int] = None
    unit_min: Optional[int] = None


@dataclass
class Cached:
    """At `host.results.time_span.observed.devices.target.cached`."""

    after: Optional[int] = None
    before: Optional[int] = None
    evicted: Optional[int] = None


@dataclass
class Remounted:
    """At `host.results.time_span.observed.devices.target.remounted`, and 1 more."""

    kind: Optional[str] = None
    mount_point: Optional[str] = None
    options: Optional[str] = None


@dataclass
class QueueLimits:
    """At `host.results.time_span.observed.devices.target.stack.layer.queue_limits`."""

    fua: Optional[bool] = None
    hardware_max_io: Optional[int] = None
    largest_io: Optional[int] = None
    write_back: Optional[bool] = None


@dataclass
class LayerRemote:
    """At `host.results.time_span.observed.devices.target.stack.layer.remote`."""

    mount_point: Optional[str] = None
    protocol: Optional[str] = None
    source: Optional[str] = None


@dataclass
class Layer:
    """At `host.results.time_span.observed.devices.target.stack.layer`."""

    direct: Optional[bool] = None
    kind: Optional[str] = None
    lower_devices: Optional[List[str]] = field(default=None, metadata={'depth': 1})
    lower_unknown: Optional[str] = None
    memory: Optional[str] = None
    name: Optional[str] = None
    number: Optional[str] = None
    one_to_one: Optional[bool] = None
    queue_limits: Optional[QueueLimits] = field(default=None, metadata={'of': 'QueueLimits'})
    remote: Optional[LayerRemote] = field(default=None, metadata={'of': 'LayerRemote'})
    statistics: Optional[bool] = None


@dataclass
class Stack:
    """At `host.results.time_span.observed.devices.target.stack`."""

    file_system: Optional[str] = None
    in_memory: Optional[str] = None
    layers: Optional[List[Layer]] = field(default=None, metadata={'of': 'Layer', 'depth': 1})
    mounts: Optional[List[Remounted]] = field(default=None, metadata={'of': 'Remounted', 'depth': 1})
    no_device_reason: Optional[str] = None
    top_devices: Optional[List[str]] = field(default=None, metadata={'depth': 1})


@dataclass
class State:
    """At `host.results.time_span.observed.devices.target.state`."""

    links: Optional[int] = None
    observed_us: Optional[int] = None  # us
    size: Optional[int] = None
    synchronous: Optional[bool] = None


@dataclass
class Target:
    """At `host.results.time_span.observed.devices.target`."""

    atomic: Optional[Atomic] = field(default=None, metadata={'of': 'Atomic'})
    cached: Optional[Cached] = field(default=None, metadata={'of': 'Cached'})
    cached_bytes: Optional[int] = None  # bytes
    flush: Optional[int] = None
    remounted: Optional[List[Remounted]] = field(default=None, metadata={'of': 'Remounted', 'depth': 1})
    stack: Optional[Stack] = field(default=None, metadata={'of': 'Stack'})
    stack_at_end: Optional[List[str]] = field(default=None, metadata={'depth': 1})
    states: Optional[List[State]] = field(default=None, metadata={'of': 'State', 'depth': 1})
    synchronous: Optional[bool] = None
    target: Optional[int] = None
    unwritten: Optional[int] = None
    unwritten_before: Optional[int] = None
    write_error: Optional[int] = None


@dataclass
class Devices:
    """At `host.results.time_span.observed.devices`."""

    arrays: Optional[List[Array]] = field(default=None, metadata={'of': 'Array', 'depth': 1})
    devices: Optional[List[DevicesDevice]] = field(default=None, metadata={'of': 'DevicesDevice', 'depth': 1})
    elapsed: Optional[int] = None
    process: Optional[Process] = field(default=None, metadata={'of': 'Process'})
    remote: Optional[List[Remote]] = field(default=None, metadata={'of': 'Remote', 'depth': 1})
    space: Optional[List[DevicesSpace]] = field(default=None, metadata={'of': 'DevicesSpace', 'depth': 1})
    targets: Optional[List[Target]] = field(default=None, metadata={'of': 'Target', 'depth': 1})
    unwritten: Optional[List[int]] = field(default=None, metadata={'depth': 1})


@dataclass
class IdleEntryState:
    """At `host.results.time_span.observed.idle_entry.state`."""

    entered: Optional[int] = None
    latency: Optional[int] = None
    name: Optional[str] = None


@dataclass
class IdleEntry:
    """At `host.results.time_span.observed.idle_entry`."""

    cpu: Optional[int] = None
    states: Optional[List[IdleEntryState]] = field(default=None, metadata={'of': 'IdleEntryState', 'depth': 1})


@dataclass
class InterruptCpu:
    """At `host.results.time_span.observed.interrupt.cpu`."""

    count: Optional[int] = None
    cpu: Optional[int] = None


@dataclass
class Interrupt:
    """At `host.results.time_span.observed.interrupt`."""

    cpus: Optional[List[InterruptCpu]] = field(default=None, metadata={'of': 'InterruptCpu', 'depth': 1})
    device: Optional[str] = None


@dataclass
class Latencies:
    """At `host.results.time_span.observed.latencies`."""

    packed: Optional[str] = None
    width_us: Optional[int] = None  # us


@dataclass
class LostCpuTime:
    """At `host.results.time_span.observed.lost_cpu_time`."""

    interrupts: Optional[int] = None
    steal: Optional[int] = None


@dataclass
class OutageChange:
    """At `judgement.outage.change`, and 1 more."""

    attribute: Optional[str] = None
    from_: Optional[str] = field(default=None, metadata={'key': 'from'})
    observed_us: Optional[int] = None  # us
    to: Optional[str] = None


@dataclass
class Gap:
    """At `host.results.time_span.observed.outage_observations.gap`."""

    changes: Optional[List[OutageChange]] = field(default=None, metadata={'of': 'OutageChange', 'depth': 1})
    end_us: Optional[int] = None  # us
    in_flight: Optional[int] = None
    start_us: Optional[int] = None  # us
    target: Optional[int] = None


@dataclass
class Stuck:
    """At `host.results.time_span.observed.outage_observations.stuck`."""

    length: Optional[int] = None
    observed_us: Optional[int] = None  # us
    offset: Optional[int] = None
    operation: Optional[str] = None
    submitted_us: Optional[int] = None  # us
    target: Optional[int] = None


@dataclass
class Ticks:
    """At `host.results.time_span.observed.ticks`, and 1 more."""

    ios: Optional[str] = None
    width_us: Optional[int] = None  # us


@dataclass
class OutageObservationsTarget:
    """At `host.results.time_span.observed.outage_observations.target`."""

    target: Optional[int] = None
    ticks: Optional[Ticks] = field(default=None, metadata={'of': 'Ticks'})


@dataclass
class WatcherGap:
    """At `host.results.time_span.observed.outage_observations.watcher_gap`."""

    end_us: Optional[int] = None  # us
    start_us: Optional[int] = None  # us


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

    device: Optional[str] = None
    group: Optional[str] = None
    setting: Optional[str] = None


@dataclass
class IoCost:
    """At `host.results.time_span.observed.resource_usage.io_cost`."""

    device: Optional[str] = None
    group: Optional[str] = None
    indebt_us: Optional[int] = None  # us
    indelay_us: Optional[int] = None  # us
    usage_us: Optional[int] = None  # us
    wait_us: Optional[int] = None  # us


@dataclass
class IoLimit:
    """At `host.results.time_span.observed.resource_usage.io_limit`, and 1 more."""

    device: Optional[str] = None
    group: Optional[str] = None
    read_bytes: Optional[int] = None  # bytes
    reads: Optional[int] = None
    write_bytes: Optional[int] = None  # bytes
    writes: Optional[int] = None


@dataclass
class LimitChangeCpu:
    """At `host.results.time_span.observed.resource_usage.limit_change.cpu`."""

    cpus: Optional[float] = None
    group: Optional[str] = None


@dataclass
class LimitChange:
    """At `host.results.time_span.observed.resource_usage.limit_change`."""

    after_us: Optional[int] = None  # us
    cpus: Optional[List[LimitChangeCpu]] = field(default=None, metadata={'of': 'LimitChangeCpu', 'depth': 1})
    group_changed: Optional[bool] = None
    io_limits: Optional[List[IoLimit]] = field(default=None, metadata={'of': 'IoLimit', 'depth': 1})
    observed_us: Optional[int] = None  # us


@dataclass
class MemoryChange:
    """At `host.results.time_span.observed.resource_usage.memory.change`."""

    after_us: Optional[int] = None  # us
    bytes: Optional[int] = None  # bytes
    observed_us: Optional[int] = None  # us


@dataclass
class Memory:
    """At `host.results.time_span.observed.resource_usage.memory`."""

    bytes: Optional[int] = None  # bytes
    changes: Optional[List[MemoryChange]] = field(default=None, metadata={'of': 'MemoryChange', 'depth': 1})
    group: Optional[str] = None
    reached: Optional[int] = None
    stalled_us: Optional[int] = None  # us


@dataclass
class Busiest:
    """At `host.results.time_span.observed.resource_usage.other_processes.busiest`."""

    busy: Optional[int] = None
    kernel: Optional[bool] = None
    name: Optional[str] = None
    pid: Optional[int] = None


@dataclass
class OtherProcesses:
    """At `host.results.time_span.observed.resource_usage.other_processes`."""

    busiest: Optional[List[Busiest]] = field(default=None, metadata={'of': 'Busiest', 'depth': 1})
    elapsed: Optional[int] = None
    kernel: Optional[int] = None
    kernel_run_delay: Optional[int] = None
    programs: Optional[int] = None


@dataclass
class Quota:
    """At `host.results.time_span.observed.resource_usage.quota`."""

    cpus: Optional[float] = None
    group: Optional[str] = None
    periods: Optional[int] = None
    throttled: Optional[int] = None
    throttled_periods: Optional[int] = None


@dataclass
class Tool:
    """At `host.results.time_span.observed.resource_usage.tool`."""

    clock: Optional[float] = None
    histogram: Optional[float] = None
    io: Optional[float] = None
    ring_noop: Optional[float] = None


@dataclass
class AffinityChange:
    """At `host.results.time_span.observed.resource_usage.worker.affinity_change`."""

    after_us: Optional[int] = None  # us
    cpus: Optional[List[int]] = field(default=None, metadata={'depth': 1})
    observed_us: Optional[int] = None  # us


@dataclass
class WorkerTimes:
    """At `host.results.time_span.observed.resource_usage.worker.times`."""

    busy: Optional[int] = None
    run_delay: Optional[int] = None
    system: Optional[int] = None
    user: Optional[int] = None


@dataclass
class Worker:
    """At `host.results.time_span.observed.resource_usage.worker`."""

    affinity_change: Optional[AffinityChange] = field(default=None, metadata={'of': 'AffinityChange'})
    cpu: Optional[int] = None
    depth: Optional[int] = None
    engine: Optional[str] = None
    times: Optional[WorkerTimes] = field(default=None, metadata={'of': 'WorkerTimes'})


@dataclass
class ResourceUsage:
    """At `host.results.time_span.observed.resource_usage`."""

    io_controls: Optional[List[IoControl]] = field(default=None, metadata={'of': 'IoControl', 'depth': 1})
    io_costs: Optional[List[IoCost]] = field(default=None, metadata={'of': 'IoCost', 'depth': 1})
    io_limits: Optional[List[IoLimit]] = field(default=None, metadata={'of': 'IoLimit', 'depth': 1})
    limit_changes: Optional[List[LimitChange]] = field(default=None, metadata={'of': 'LimitChange', 'depth': 1})
    memory: Optional[List[Memory]] = field(default=None, metadata={'of': 'Memory', 'depth': 1})
    other_processes: Optional[OtherProcesses] = field(default=None, metadata={'of': 'OtherProcesses'})
    process: Optional[int] = None
    quotas: Optional[List[Quota]] = field(default=None, metadata={'of': 'Quota', 'depth': 1})
    tool: Optional[Tool] = field(default=None, metadata={'of': 'Tool'})
    workers: Optional[List[Worker]] = field(default=None, metadata={'of': 'Worker', 'depth': 1})


@dataclass
class ObservedSample:
    """At `host.results.time_span.observed.sample`."""

    bytes: Optional[int] = None  # bytes
    end_us: Optional[int] = None  # us
    ios: Optional[int] = None


@dataclass
class Cause:
    """At `host.results.time_span.observed.slow.io.cause`."""

    duration_ns: Optional[int] = None  # ns
    kind: Optional[str] = None
    name: Optional[str] = None


@dataclass
class Stages:
    """At `host.results.time_span.observed.slow.io.stages`, and 1 more."""

    device_ns: Optional[int] = None  # ns
    interrupt_ns: Optional[int] = None  # ns
    kernel_ns: Optional[int] = None  # ns
    queue_ns: Optional[int] = None  # ns
    reap_ns: Optional[int] = None  # ns
    submit_ns: Optional[int] = None  # ns
    unattributed_ns: Optional[int] = None  # ns
    wake_ns: Optional[int] = None  # ns


@dataclass
class Io:
    """At `host.results.time_span.observed.slow.io`."""

    cause: Optional[Cause] = field(default=None, metadata={'of': 'Cause'})
    latency_ns: Optional[int] = None  # ns
    length: Optional[int] = None
    offset: Optional[int] = None
    operation: Optional[str] = None
    stages: Optional[Stages] = field(default=None, metadata={'of': 'Stages'})
    submitted_ns: Optional[int] = None  # ns
    target: Optional[int] = None
    thread: Optional[int] = None


@dataclass
class Second:
    """At `host.results.time_span.observed.slow.second`."""

    ios: Optional[int] = None
    longest_ns: Optional[int] = None  # ns
    second: Optional[int] = None
    stages: Optional[Stages] = field(default=None, metadata={'of': 'Stages'})


@dataclass
class Slow:
    """At `host.results.time_span.observed.slow`."""

    cost_percent: Optional[float] = None  # percent
    error: Optional[str] = None
    events: Optional[int] = None
    ios: Optional[List[Io]] = field(default=None, metadata={'of': 'Io', 'depth': 1})
    lost_events: Optional[int] = None
    missed: Optional[int] = None
    requested: Optional[int] = None
    seconds: Optional[List[Second]] = field(default=None, metadata={'of': 'Second', 'depth': 1})


@dataclass
class Disk:
    """At `host.results.time_span.observed.thermal.after.disk`, and 1 more."""

    celsius: Optional[float] = None
    disk: Optional[str] = None
    limit: Optional[float] = None


@dataclass
class ThermalAfter:
    """At `host.results.time_span.observed.thermal.after`."""

    cpu_throttles: Optional[int] = None
    disks: Optional[List[Disk]] = field(default=None, metadata={'of': 'Disk', 'depth': 1})


@dataclass
class Before:
    """At `host.results.time_span.observed.thermal.before`."""

    cpu_throttles: Optional[int] = None
    disks: Optional[List[Disk]] = field(default=None, metadata={'of': 'Disk', 'depth': 1})


@dataclass
class Thermal:
    """At `host.results.time_span.observed.thermal`."""

    after: Optional[ThermalAfter] = field(default=None, metadata={'of': 'ThermalAfter'})
    before: Optional[Before] = field(default=None, metadata={'of': 'Before'})


@dataclass
class Tracer:
    """At `host.results.time_span.observed.tracer`."""

    checks: Optional[int] = None
    name: Optional[str] = None
    pid: Optional[int] = None
    samples: Optional[int] = None
    stopped: Optional[int] = None
    traced_checks: Optional[int] = None


@dataclass
class WarmUp:
    """At `host.results.time_span.observed.warm_up`."""

    limit: Optional[int] = None
    seconds: Optional[int] = None  # s
    steady: Optional[bool] = None


@dataclass
class Observed:
    """At `host.results.time_span.observed`."""

    content: Optional[List[Content]] = field(default=None, metadata={'of': 'Content', 'depth': 1})
    cpu_latency: Optional[int] = None
    delays: Optional[Delays] = field(default=None, metadata={'of': 'Delays'})
    device_logs: Optional[List[DeviceLog]] = field(default=None, metadata={'of': 'DeviceLog', 'depth': 1})
    devices: Optional[Devices] = field(default=None, metadata={'of': 'Devices'})
    idle_entries: Optional[List[IdleEntry]] = field(default=None, metadata={'of': 'IdleEntry', 'depth': 1})
    interrupts: Optional[List[Interrupt]] = field(default=None, metadata={'of': 'Interrupt', 'depth': 1})
    latencies: Optional[Latencies] = field(default=None, metadata={'of': 'Latencies'})
    lost_cpu_times: Optional[List[LostCpuTime]] = field(default=None, metadata={'of': 'LostCpuTime', 'depth': 1})
    offline: Optional[List[int]] = field(default=None, metadata={'depth': 1})
    outage_observations: Optional[OutageObservations] = field(default=None, metadata={'of': 'OutageObservations'})
    polled: Optional[bool] = None
    resource_usage: Optional[ResourceUsage] = field(default=None, metadata={'of': 'ResourceUsage'})
    samples: Optional[List[ObservedSample]] = field(default=None, metadata={'of': 'ObservedSample', 'depth': 1})
    serialized: Optional[List[str]] = field(default=None, metadata={'depth': 1})
    slow: Optional[Slow] = field(default=None, metadata={'of': 'Slow'})
    thermal: Optional[Thermal] = field(default=None, metadata={'of': 'Thermal'})
    ticks: Optional[Ticks] = field(default=None, metadata={'of': 'Ticks'})
    trace: Optional[Trace] = field(default=None, metadata={'of': 'Trace'})
    tracer: Optional[Tracer] = field(default=None, metadata={'of': 'Tracer'})
    until_read: Optional[int] = None
    until_written: Optional[int] = None
    warm_up: Optional[WarmUp] = field(default=None, metadata={'of': 'WarmUp'})


@dataclass
class Responses:
    """At `host.results.time_span.responses`, and 1 more."""

    intervals: Optional[List[IntervalsInterval]] = field(default=None, metadata={'of': 'IntervalsInterval', 'depth': 1})


@dataclass
class Start:
    """At `host.results.time_span.start`."""

    measuring_utc_ns: Optional[int] = None  # ns since 1970, UTC
    start_signal_utc_ns: Optional[int] = None  # ns since 1970, UTC


@dataclass
class Engine:
    """At `host.results.time_span.thread.engine`, and 1 more."""

    clock: Optional[str] = None
    features: Optional[str] = None
    name: Optional[str] = None
    reason: Optional[str] = None


@dataclass
class DiscardsLatency:
    """At `host.results.time_span.thread.target.read.latency`, and 11 more."""

    moments: Optional[Moments] = field(default=None, metadata={'of': 'Moments'})
    packed: Optional[str] = None


@dataclass
class Delay:
    """At `host.results.time_span.thread.target.read.paced.delay`, and 11 more."""

    moments: Optional[Moments] = field(default=None, metadata={'of': 'Moments'})
    packed: Optional[str] = None


@dataclass
class PacedResponse:
    """At `host.results.time_span.thread.target.read.paced.response`, and 11 more."""

    moments: Optional[Moments] = field(default=None, metadata={'of': 'Moments'})
    packed: Optional[str] = None


@dataclass
class DiscardsPaced:
    """At `host.results.time_span.thread.target.read.paced`, and 11 more."""

    delay: Optional[Delay] = field(default=None, metadata={'of': 'Delay'})
    response: Optional[PacedResponse] = field(default=None, metadata={'of': 'PacedResponse'})


@dataclass
class Series:
    """At `host.results.time_span.thread.target.read.series`, and 9 more."""

    allocated: Optional[int] = None
    last: Optional[int] = None
    packed: Optional[str] = None
    width: Optional[int] = None


@dataclass
class TargetDiscards:
    """At `host.results.time_span.thread.target.discards`, and 5 more."""

    bytes: Optional[int] = None  # bytes
    ios: Optional[int] = None
    latency: Optional[DiscardsLatency] = field(default=None, metadata={'of': 'DiscardsLatency'})
    paced: Optional[DiscardsPaced] = field(default=None, metadata={'of': 'DiscardsPaced'})
    series: Optional[Series] = field(default=None, metadata={'of': 'Series'})
    short: Optional[int] = None


@dataclass
class TargetFlushes:
    """At `host.results.time_span.thread.target.flushes`."""

    moments: Optional[Moments] = field(default=None, metadata={'of': 'Moments'})
    packed: Optional[str] = None


@dataclass
class NotSubmitted:
    """At `host.results.time_span.thread.target.not_submitted`, and 1 more."""

    ios: Optional[int] = None
    longest: Optional[int] = None


@dataclass
class TargetRead:
    """At `host.results.time_span.thread.target.read`, and 5 more."""

    bytes: Optional[int] = None  # bytes
    ios: Optional[int] = None
    latency: Optional[DiscardsLatency] = field(default=None, metadata={'of': 'DiscardsLatency'})
    moments: Optional[Moments] = field(default=None, metadata={'of': 'Moments'})
    nowait_misses: Optional[int] = None
    paced: Optional[DiscardsPaced] = field(default=None, metadata={'of': 'DiscardsPaced'})
    series: Optional[Series] = field(default=None, metadata={'of': 'Series'})
    short: Optional[int] = None


@dataclass
class Part:
    """At `host.results.time_span.thread.target.part`."""

    block_size: Optional[int] = None  # bytes
    part: Optional[int] = None
    read: Optional[TargetRead] = field(default=None, metadata={'of': 'TargetRead'})
    write: Optional[TargetRead] = field(default=None, metadata={'of': 'TargetRead'})


@dataclass
class ThreadTarget:
    """At `host.results.time_span.thread.target`, and 1 more."""

    discards: Optional[TargetDiscards] = field(default=None, metadata={'of': 'TargetDiscards'})
    distribution: Optional[List[Range]] = field(default=None, metadata={'of': 'Range', 'depth': 1})
    durable_writes: Optional[TargetDiscards] = field(default=None, metadata={'of': 'TargetDiscards'})
    flushes: Optional[TargetFlushes] = field(default=None, metadata={'of': 'TargetFlushes'})
    integrity: Optional[Results] = field(default=None, metadata={'of': 'Results'})
    not_submitted: Optional[NotSubmitted] = field(default=None, metadata={'of': 'NotSubmitted'})
    parts: Optional[List[Part]] = field(default=None, metadata={'of': 'Part', 'depth': 1})
    read: Optional[TargetRead] = field(default=None, metadata={'of': 'TargetRead'})
    size: Optional[int] = None
    target: Optional[int] = None
    unfinished: Optional[List[int]] = field(default=None, metadata={'depth': 1})
    write: Optional[TargetRead] = field(default=None, metadata={'of': 'TargetRead'})
    write_zeroes: Optional[TargetDiscards] = field(default=None, metadata={'of': 'TargetDiscards'})


@dataclass
class Thread:
    """At `host.results.time_span.thread`, and 1 more."""

    engine: Optional[Engine] = field(default=None, metadata={'of': 'Engine'})
    targets: Optional[List[ThreadTarget]] = field(default=None, metadata={'of': 'ThreadTarget', 'depth': 1})
    wait: Optional[Waits] = field(default=None, metadata={'of': 'Waits'})


@dataclass
class ReadService:
    """At `merged.host.results.time_span.merged.read.service`, and 1 more."""

    moments: Optional[Moments] = field(default=None, metadata={'of': 'Moments'})
    packed: Optional[str] = None


@dataclass
class MergedRead:
    """At `merged.host.results.time_span.merged.read`, and 1 more."""

    latency: Optional[DiscardsLatency] = field(default=None, metadata={'of': 'DiscardsLatency'})
    paced: Optional[DiscardsPaced] = field(default=None, metadata={'of': 'DiscardsPaced'})
    service: Optional[ReadService] = field(default=None, metadata={'of': 'ReadService'})


@dataclass
class MergedTarget:
    """At `merged.host.results.time_span.merged.target`."""

    rows: Optional[List[List[float]]] = field(default=None, metadata={'depth': 2})
    target: Optional[int] = None


@dataclass
class TimeSpanMerged:
    """At `merged.host.results.time_span.merged`."""

    covered: Optional[int] = None
    read: Optional[MergedRead] = field(default=None, metadata={'of': 'MergedRead'})
    targets: Optional[List[MergedTarget]] = field(default=None, metadata={'of': 'MergedTarget', 'depth': 1})
    write: Optional[MergedRead] = field(default=None, metadata={'of': 'MergedRead'})


@dataclass
class ResultsTimeSpan:
    """At `host.results.time_span`, and 1 more."""

    cpus: Optional[List[TimeSpanCpu]] = field(default=None, metadata={'of': 'TimeSpanCpu', 'depth': 1})
    ended: Optional[Ended] = field(default=None, metadata={'of': 'Ended'})
    errors: Optional[List[Error]] = field(default=None, metadata={'of': 'Error', 'depth': 1})
    intervals: Optional[Intervals] = field(default=None, metadata={'of': 'Intervals'})
    measured: Optional[int] = None
    merged: Optional[TimeSpanMerged] = field(default=None, metadata={'of': 'TimeSpanMerged'})
    observed: Optional[Observed] = field(default=None, metadata={'of': 'Observed'})
    responses: Optional[Responses] = field(default=None, metadata={'of': 'Responses'})
    start: Optional[Start] = field(default=None, metadata={'of': 'Start'})
    started_at: Optional[int] = None
    threads: Optional[List[Thread]] = field(default=None, metadata={'of': 'Thread', 'depth': 1})


@dataclass
class HostResults:
    """At `host.results`, and 1 more."""

    time_spans: Optional[List[ResultsTimeSpan]] = field(default=None, metadata={'of': 'ResultsTimeSpan', 'depth': 1})


@dataclass
class SummaryDevice:
    """At `host.summary.device`."""

    message: Optional[str] = None
    ranks: Optional[int] = None
    severity: Optional[str] = None
    time_span: Optional[int] = None
    verdict: Optional[str] = None


@dataclass
class Finding:
    """At `judgement.finding`, and 1 more."""

    evidence: Optional[List[str]] = field(default=None, metadata={'depth': 1})
    message: Optional[str] = None
    name: Optional[str] = None
    remedy: Optional[str] = None
    severity: Optional[str] = None
    target: Optional[str] = field(default=None, metadata={'of': 'text'})
    time_span: Optional[int] = None


@dataclass
class Findings:
    """At `host.summary.run.findings`."""

    names: Optional[List[str]] = field(default=None, metadata={'depth': 1})
    severity: Optional[str] = None


@dataclass
class OriginRecord:
    """At `host.summary.run.origin.record`."""

    version: Optional[int] = None


@dataclass
class Origin:
    """At `host.summary.run.origin`."""

    record: Optional[OriginRecord] = field(default=None, metadata={'of': 'OriginRecord'})


@dataclass
class Caching:
    """At `index.time_span.parameters.target.access.caching`, and 3 more."""

    block_device: Optional[bool] = None
    cached_devices: Optional[bool] = None
    memory_mapped: Optional[bool] = None
    mode: Optional[str] = None
    write_through: Optional[bool] = None


@dataclass
class Rate:
    """At `index.time_span.parameters.target.access.rate`, and 1 more."""

    bytes_per_millisecond: Optional[int] = None
    iops: Optional[int] = None  # I/Os per second


@dataclass
class Access:
    """At `index.time_span.parameters.target.access`, and 3 more."""

    block_size: Optional[int] = None  # bytes
    caching: Optional[Caching] = field(default=None, metadata={'of': 'Caching'})
    fua_percent: Optional[int] = None  # percent
    outstanding: Optional[int] = None
    random_percent: Optional[int] = None  # percent
    rate: Optional[Union[Rate, str]] = field(default=None, metadata={'of': 'Rate'})
    stride: Optional[int] = None
    threads: Optional[int] = None
    trim_percent: Optional[int] = None  # percent
    write_percent: Optional[int] = None  # percent
    write_zeroes_percent: Optional[int] = None  # percent


@dataclass
class ParametersTarget:
    """At `index.time_span.parameters.target`, and 3 more."""

    access: Optional[Access] = field(default=None, metadata={'of': 'Access'})
    paths: Optional[List[str]] = field(default=None, metadata={'of': 'text', 'depth': 1})


@dataclass
class RateTotal:
    """At `method.rate_total`, and 1 more."""

    arrivals: Optional[str] = None
    ios_per_s: Optional[int] = None  # per second


@dataclass
class Parameters:
    """At `index.time_span.parameters`, and 3 more."""

    duration_s: Optional[int] = None  # s
    floating_pool: Optional[bool] = None
    fsync_every: Optional[int] = None
    in_flight: Optional[int] = None
    rand_seed: Optional[int] = None
    rate_total: Optional[RateTotal] = field(default=None, metadata={'of': 'RateTotal'})
    targets: Optional[List[ParametersTarget]] = field(default=None, metadata={'of': 'ParametersTarget', 'depth': 1})
    threads: Optional[int] = None
    warmup_s: Optional[int] = None  # s


@dataclass
class TimeSpanResponse:
    """At `index.time_span.response`, and 1 more."""

    ios: Optional[int] = None
    mean_ms: Optional[Percentile] = field(default=None, metadata={'of': 'Percentile'})
    percentiles: Optional[List[Percentile]] = field(default=None, metadata={'of': 'Percentile', 'depth': 1})


@dataclass
class TimeSpanPart:
    """At `index.time_span.part`."""

    block_size: Optional[int] = None  # bytes
    iops: Optional[float] = None  # I/Os per second
    ios: Optional[int] = None
    mean_ms: Optional[float] = None  # ms
    p99_ms: Optional[float] = None  # ms
    part: Optional[int] = None
    target: Optional[int] = None


@dataclass
class IndexTimeSpan:
    """At `index.time_span`, and 1 more."""

    cpu_percent: Optional[float] = None  # percent
    longest_outage_s: Optional[float] = None  # s
    outages: Optional[int] = None
    parameters: Optional[Parameters] = field(default=None, metadata={'of': 'Parameters'})
    parts: Optional[List[TimeSpanPart]] = field(default=None, metadata={'of': 'TimeSpanPart', 'depth': 1})
    percentiles: Optional[List[Percentile]] = field(default=None, metadata={'of': 'Percentile', 'depth': 1})
    read: Optional[Throughput] = field(default=None, metadata={'of': 'Throughput'})
    response: Optional[TimeSpanResponse] = field(default=None, metadata={'of': 'TimeSpanResponse'})
    seconds: Optional[float] = None  # s
    total: Optional[Throughput] = field(default=None, metadata={'of': 'Throughput'})
    verdict: Optional[str] = None
    write: Optional[Throughput] = field(default=None, metadata={'of': 'Throughput'})


@dataclass
class Unmeasured:
    """At `index.unmeasured`, and 1 more."""

    parameters: Optional[Parameters] = field(default=None, metadata={'of': 'Parameters'})
    time_span: Optional[int] = None


@dataclass
class Run:
    """At `host.summary.run`."""

    command_line: Optional[str] = None
    computer: Optional[str] = None
    findings: Optional[Findings] = field(default=None, metadata={'of': 'Findings'})
    fingerprint: Optional[str] = None
    identity: Optional[str] = None
    label: Any = None
    machine: Optional[str] = None
    name: Optional[str] = None
    origin: Optional[Origin] = field(default=None, metadata={'of': 'Origin'})
    started_at: Any = None
    time_spans: Optional[List[IndexTimeSpan]] = field(default=None, metadata={'of': 'IndexTimeSpan', 'depth': 1})
    unmeasured: Optional[List[Unmeasured]] = field(default=None, metadata={'of': 'Unmeasured', 'depth': 1})


@dataclass
class SummaryWindow:
    """At `host.summary.window`."""

    measured: Optional[int] = None
    shift: Optional[int] = None
    start_ns: Optional[int] = None  # ns


@dataclass
class Summary:
    """At `host.summary`."""

    devices: Optional[List[SummaryDevice]] = field(default=None, metadata={'of': 'SummaryDevice', 'depth': 1})
    findings: Optional[List[Finding]] = field(default=None, metadata={'of': 'Finding', 'depth': 1})
    run: Optional[Run] = field(default=None, metadata={'of': 'Run'})
    windows: Optional[List[SummaryWindow]] = field(default=None, metadata={'of': 'SummaryWindow', 'depth': 1})


@dataclass
class Frequency:
    """At `host.system.environment.cpu.frequency`."""

    current: Optional[int] = None
    driver: Optional[str] = None
    hardware_max: Optional[int] = None
    hardware_min: Optional[int] = None
    max: Optional[int] = None
    min: Optional[int] = None
    preference: Optional[str] = None


@dataclass
class IdleState:
    """At `host.system.environment.cpu.idle_state`."""

    enabled: Optional[bool] = None
    latency: Optional[int] = None
    name: Optional[str] = None
    residency: Optional[int] = None


@dataclass
class EnvironmentCpu:
    """At `host.system.environment.cpu`."""

    boost: Optional[bool] = None
    frequency: Optional[Frequency] = field(default=None, metadata={'of': 'Frequency'})
    idle_driver: Optional[str] = None
    idle_states: Optional[List[IdleState]] = field(default=None, metadata={'of': 'IdleState', 'depth': 1})
    smt: Optional[str] = None
    throttled: Optional[int] = None


@dataclass
class TargetDevice:
    """At `host.target.device`, and 1 more."""

    direct: Optional[bool] = None
    disk: Optional[str] = None
    firmware: Optional[str] = None
    identity: Optional[str] = None
    model: Optional[str] = None
    name: Optional[str] = None
    queue: Optional[Dict[str, str]] = None
    size: Optional[int] = None


@dataclass
class Link:
    """At `host.system.environment.disk.link`."""

    max_speed: Optional[int] = None
    max_width: Optional[int] = None
    speed: Optional[int] = None
    width: Optional[int] = None


@dataclass
class EnvironmentDisk:
    """At `host.system.environment.disk`."""

    device: Optional[TargetDevice] = field(default=None, metadata={'of': 'TargetDevice'})
    link: Optional[Link] = field(default=None, metadata={'of': 'Link'})
    misaligned: Optional[List[str]] = field(default=None, metadata={'depth': 1})
    numa_node: Optional[int] = None
    number: Optional[str] = None
    targets: Optional[List[int]] = field(default=None, metadata={'depth': 1})
    transport: Optional[str] = None


@dataclass
class Limits:
    """At `host.system.environment.limits`."""

    cpu: Optional[int] = None
    cpus: Optional[str] = None
    io: Optional[Dict[str, str]] = None
    memory: Optional[int] = None


@dataclass
class Load:
    """At `host.system.environment.load`."""

    average: Optional[int] = None
    cpu_pressure: Optional[int] = None
    io_pressure: Optional[int] = None
    running: Optional[int] = None
    swap_used: Optional[int] = None


@dataclass
class Platform:
    """At `host.system.environment.platform`."""

    cloud: Optional[str] = None
    container: Optional[bool] = None
    hypervisor: Optional[str] = None
    product: Optional[str] = None
    vendor: Optional[str] = None
    virtual_machine: Optional[bool] = None


@dataclass
class Environment:
    """At `host.system.environment`."""

    clock_source: Optional[str] = None
    cpu: Optional[EnvironmentCpu] = field(default=None, metadata={'of': 'EnvironmentCpu'})
    disks: Optional[List[EnvironmentDisk]] = field(default=None, metadata={'of': 'EnvironmentDisk', 'depth': 1})
    kernel_command_line: Optional[str] = None
    limits: Optional[Limits] = field(default=None, metadata={'of': 'Limits'})
    load: Optional[Load] = field(default=None, metadata={'of': 'Load'})
    platform: Optional[Platform] = field(default=None, metadata={'of': 'Platform'})
    vulnerabilities: Optional[Dict[str, str]] = None


@dataclass
class Fingerprint:
    """At `host.system.fingerprint`."""

    hash: Optional[str] = None
    parts: Optional[Dict[str, str]] = None


@dataclass
class MemoryAllowance:
    """At `host.system.memory_allowance`."""

    group: Optional[str] = None
    left: Optional[int] = None
    limit: Optional[int] = None


@dataclass
class PowerScheme:
    """At `host.system.power_scheme`, and 1 more."""

    guid: Optional[str] = None
    name: Optional[str] = None


@dataclass
class Core:
    """At `host.system.topology.core`, and 1 more."""

    continued: Optional[bool] = None
    efficiency_class: Optional[int] = None
    group: Optional[int] = None
    mask: Optional[int] = None
    number: Optional[int] = None


@dataclass
class Group:
    """At `host.system.topology.group`, and 1 more."""

    active: Optional[int] = None
    mask: Optional[int] = None
    maximum: Optional[int] = None
    number: Optional[int] = None


@dataclass
class Node:
    """At `host.system.topology.node`, and 1 more."""

    masks: Optional[List[List[int]]] = field(default=None, metadata={'depth': 2})
    number: Optional[int] = None


@dataclass
class Socket:
    """At `host.system.topology.socket`, and 1 more."""

    masks: Optional[List[List[int]]] = field(default=None, metadata={'depth': 2})
    number: Optional[int] = None


@dataclass
class Topology:
    """At `host.system.topology`, and 1 more."""

    cores: Optional[List[Core]] = field(default=None, metadata={'of': 'Core', 'depth': 1})
    disallowed: Optional[List[List[int]]] = field(default=None, metadata={'depth': 2})
    groups: Optional[List[Group]] = field(default=None, metadata={'of': 'Group', 'depth': 1})
    nodes: Optional[List[Node]] = field(default=None, metadata={'of': 'Node', 'depth': 1})
    smt: Optional[bool] = None
    sockets: Optional[List[Socket]] = field(default=None, metadata={'of': 'Socket', 'depth': 1})


@dataclass
class Unreadable:
    """At `host.system.unreadable`."""

    facts: Optional[str] = None
    path: Optional[str] = None
    processors: Optional[bool] = None
    reason: Optional[str] = None
    remedy: Optional[str] = None


@dataclass
class System:
    """At `host.system`, and 1 more."""

    boot: Optional[str] = None
    computer_name: Optional[str] = None
    cpu_model: Optional[str] = None
    environment: Optional[Environment] = field(default=None, metadata={'of': 'Environment'})
    fingerprint: Optional[Fingerprint] = field(default=None, metadata={'of': 'Fingerprint'})
    kernel: Optional[str] = None
    machine: Optional[str] = None
    memory_allowance: Optional[MemoryAllowance] = field(default=None, metadata={'of': 'MemoryAllowance'})
    memory_available: Optional[int] = None
    memory_total: Optional[int] = None
    power_scheme: Optional[PowerScheme] = field(default=None, metadata={'of': 'PowerScheme'})
    start_time: Optional[int] = None
    topology: Optional[Topology] = field(default=None, metadata={'of': 'Topology'})
    unreadable: Optional[List[Unreadable]] = field(default=None, metadata={'of': 'Unreadable', 'depth': 1})


@dataclass
class FileSystem:
    """At `host.target.file_system`."""

    available: Optional[int] = None
    block_size: Optional[int] = None  # bytes
    kind: Optional[str] = None
    mounted_at: Optional[str] = None
    options: Optional[str] = None
    size: Optional[int] = None


@dataclass
class HostTarget:
    """At `host.target`, and 1 more."""

    device: Optional[TargetDevice] = field(default=None, metadata={'of': 'TargetDevice'})
    file_system: Optional[FileSystem] = field(default=None, metadata={'of': 'FileSystem'})
    id: Optional[int] = None
    path: Optional[str] = field(default=None, metadata={'of': 'text'})


@dataclass
class Host:
    """At `host`, and 1 more."""

    clock: Optional[Clock] = field(default=None, metadata={'of': 'Clock'})
    missing: Optional[str] = None
    name: Optional[str] = None
    notices: Optional[List[Notice]] = field(default=None, metadata={'of': 'Notice', 'depth': 1})
    rank: Optional[int] = None
    ranks: Optional[int] = None
    results: Optional[HostResults] = field(default=None, metadata={'of': 'HostResults'})
    summary: Optional[Summary] = field(default=None, metadata={'of': 'Summary'})
    system: Optional[System] = field(default=None, metadata={'of': 'System'})
    targets: Optional[List[HostTarget]] = field(default=None, metadata={'of': 'HostTarget', 'depth': 1})


@dataclass
class Index:
    """At `index`."""

    command_line: Optional[str] = field(default=None, metadata={'of': 'text'})
    disks: Optional[List[str]] = field(default=None, metadata={'depth': 1})
    findings: Optional[List[str]] = field(default=None, metadata={'depth': 1})
    fingerprint: Optional[str] = None
    hosts: Optional[List[str]] = field(default=None, metadata={'depth': 1})
    identity: Optional[str] = None
    machine: Optional[str] = None
    severity: Optional[str] = None
    started_at: Optional[int] = None
    time_spans: Optional[List[IndexTimeSpan]] = field(default=None, metadata={'of': 'IndexTimeSpan', 'depth': 1})
    unmeasured: Optional[List[Unmeasured]] = field(default=None, metadata={'of': 'Unmeasured', 'depth': 1})


@dataclass
class Limit:
    """At `judgement.limit`."""

    busiest: Optional[float] = None
    busy: Optional[float] = None
    ceiling_iops: Optional[float] = None  # I/Os per second
    cpu_per_io: Optional[float] = None
    depth: Optional[int] = None
    device_in_flight: Optional[float] = None
    in_flight: Optional[float] = None
    in_flight_share: Optional[float] = None
    interrupts: Optional[float] = None
    leaf_in_flight: Optional[float] = None
    limited_by: Optional[str] = None
    run_delay: Optional[float] = None
    steal: Optional[float] = None
    uncrowded_iops: Optional[float] = None  # I/Os per second
    user: Optional[float] = None


@dataclass
class Outage:
    """At `judgement.outage`."""

    at_end: Optional[bool] = None
    changes: Optional[List[OutageChange]] = field(default=None, metadata={'of': 'OutageChange', 'depth': 1})
    errors: Optional[int] = None
    expected_ios: Optional[float] = None
    in_flight: Optional[int] = None
    ios: Optional[int] = None
    length_s: Optional[float] = None  # s
    start_s: Optional[float] = None  # s
    start_utc_ms: Optional[int] = None  # ms
    target: Optional[str] = None


@dataclass
class Interruptions:
    """At `judgement.steadiness.interruptions`."""

    depth: Optional[float] = None
    end: Optional[float] = None
    period: Any = None
    share: Optional[float] = None
    start: Optional[float] = None
    times: Optional[int] = None


@dataclass
class Stalls:
    """At `judgement.steadiness.stalls`."""

    interval: Optional[float] = None
    iops: Optional[float] = None  # I/Os per second
    length: Optional[float] = None
    longest: Optional[float] = None
    period: Optional[float] = None
    share: Optional[float] = None
    start: Optional[float] = None
    times: Optional[int] = None


@dataclass
class Steadiness:
    """At `judgement.steadiness`."""

    autocorrelation: Optional[float] = None
    changes: Optional[List[float]] = field(default=None, metadata={'depth': 1})
    excursion: Optional[float] = None
    from_iops: Optional[float] = None  # I/Os per second
    interruptions: Optional[Interruptions] = field(default=None, metadata={'of': 'Interruptions'})
    interval: Optional[float] = None
    intervals: Optional[int] = None
    iops: Optional[float] = None  # I/Os per second
    latency: Any = None
    mean_iops: Optional[float] = None  # I/Os per second
    outliers: Optional[int] = None
    period: Optional[float] = None
    slope: Optional[float] = None
    stalls: Optional[Stalls] = field(default=None, metadata={'of': 'Stalls'})
    steady_from: Optional[float] = None
    to_iops: Optional[float] = None  # I/Os per second
    variation: Optional[float] = None
    verdict: Optional[str] = None
    warm_up: Optional[int] = None


@dataclass
class DeviceWrite:
    """At `judgement.verdict.part.device_read`, and 1 more."""

    io_bytes: Optional[int] = None  # bytes
    iops: Optional[float] = None  # I/Os per second
    mib_per_s: Optional[float] = None  # 2^20 bytes per second


@dataclass
class PartRead:
    """At `judgement.verdict.part.read`, and 1 more."""

    counted_bytes: Optional[int] = None  # bytes
    counted_ios: Optional[int] = None
    device_bytes: Optional[int] = None  # bytes
    device_ios: Optional[int] = None
    ratio: Optional[float] = None


@dataclass
class VerdictPart:
    """At `judgement.verdict.part`."""

    device_read: Optional[DeviceWrite] = field(default=None, metadata={'of': 'DeviceWrite'})
    device_write: Optional[DeviceWrite] = field(default=None, metadata={'of': 'DeviceWrite'})
    devices: Optional[List[str]] = field(default=None, metadata={'depth': 1})
    evidence: Optional[List[str]] = field(default=None, metadata={'depth': 1})
    flush_seconds: Optional[float] = None  # s
    flushes: Optional[int] = None
    leaves: Optional[List[str]] = field(default=None, metadata={'depth': 1})
    message: Optional[str] = None
    others_bytes: Optional[int] = None  # bytes
    read: Optional[PartRead] = field(default=None, metadata={'of': 'PartRead'})
    remedy: Optional[str] = None
    severity: Optional[str] = None
    targets: Optional[List[str]] = field(default=None, metadata={'of': 'text', 'depth': 1})
    unwritten_bytes: Optional[int] = None  # bytes
    verdict: Optional[str] = None
    write: Optional[PartRead] = field(default=None, metadata={'of': 'PartRead'})


@dataclass
class Verdict:
    """At `judgement.verdict`."""

    parts: Optional[List[VerdictPart]] = field(default=None, metadata={'of': 'VerdictPart', 'depth': 1})
    severity: Optional[str] = None
    time_span: Optional[int] = None
    verdict: Optional[str] = None


@dataclass
class Judgement:
    """At `judgement`."""

    findings: Optional[List[Finding]] = field(default=None, metadata={'of': 'Finding', 'depth': 1})
    limits: Optional[List[Limit]] = field(default=None, metadata={'of': 'Limit', 'depth': 1})
    outages: Optional[List[List[Outage]]] = field(default=None, metadata={'of': 'Outage', 'depth': 2})
    steadiness: Optional[List[Steadiness]] = field(default=None, metadata={'of': 'Steadiness', 'depth': 1})
    verdicts: Optional[List[Verdict]] = field(default=None, metadata={'of': 'Verdict', 'depth': 1})


@dataclass
class Alignment:
    """At `merged.alignment`."""

    clock_uncertainty_ns: Optional[int] = None  # ns
    common_ns: Optional[int] = None  # ns
    intervals_apart_ns: Optional[int] = None  # ns
    shifted: Optional[bool] = None
    start_skew_ns: Optional[int] = None  # ns
    stop_skew_ns: Optional[int] = None  # ns
    truncated: Optional[bool] = None


@dataclass
class Etw:
    """At `profile.etw`."""

    disk_io: Optional[bool] = None
    image_load: Optional[bool] = None
    memory_hard_faults: Optional[bool] = None
    memory_page_faults: Optional[bool] = None
    network: Optional[bool] = None
    process: Optional[bool] = None
    registry: Optional[bool] = None
    thread: Optional[bool] = None
    use_cycles_counter: Optional[bool] = None
    use_paged_memory: Optional[bool] = None
    use_perf_timer: Optional[bool] = None
    use_system_timer: Optional[bool] = None


@dataclass
class Affinity:
    """At `profile.time_span.affinity`."""

    cpu: Optional[int] = None
    group: Optional[int] = None


@dataclass
class TargetContent:
    """At `profile.time_span.target.content`."""

    compress: Optional[int] = None
    dedupe: Optional[int] = None


@dataclass
class DistributionRange:
    """At `profile.time_span.target.distribution.range`."""

    io: Optional[int] = None
    span: Optional[int] = None


@dataclass
class TargetDistribution:
    """At `profile.time_span.target.distribution`."""

    kind: Optional[str] = None
    ranges: Optional[List[DistributionRange]] = field(default=None, metadata={'of': 'DistributionRange', 'depth': 1})


@dataclass
class Size:
    """At `profile.time_span.target.size`, and 1 more."""

    block_size: Optional[int] = None  # bytes
    share: Optional[int] = None


@dataclass
class Zipf:
    """At `profile.time_span.target.spread.zipf`, and 1 more."""

    theta_thousandths: Optional[int] = None


@dataclass
class Spread:
    """At `profile.time_span.target.mix.spread`."""

    zipf: Optional[Zipf] = field(default=None, metadata={'of': 'Zipf'})


@dataclass
class Mix:
    """At `profile.time_span.target.mix`."""

    base_file_offset: Optional[int] = None
    block_alignment: Optional[int] = None
    block_size: Optional[int] = None  # bytes
    max_file_size: Optional[int] = None
    random_ratio: Optional[int] = None
    share: Optional[int] = None
    sizes: Optional[List[Size]] = field(default=None, metadata={'of': 'Size', 'depth': 1})
    spread: Optional[Spread] = field(default=None, metadata={'of': 'Spread'})
    write_ratio: Optional[int] = None


@dataclass
class RandomDataSourcePath:
    """At `profile.time_span.target.random_data_source.path`."""

    bytes: Optional[List[int]] = field(default=None, metadata={'depth': 1})  # bytes


@dataclass
class RandomDataSource:
    """At `profile.time_span.target.random_data_source`."""

    path: Optional[RandomDataSourcePath] = field(default=None, metadata={'of': 'RandomDataSourcePath'})
    size: Optional[int] = None


@dataclass
class Hot:
    """At `profile.time_span.target.spread.hot`."""

    area_percent: Optional[int] = None  # percent
    io_percent: Optional[int] = None  # percent
    moves_every_s: Optional[int] = None  # s


@dataclass
class Normal:
    """At `profile.time_span.target.spread.normal`."""

    deviation_percent: Optional[int] = None  # percent


@dataclass
class TargetSpread:
    """At `profile.time_span.target.spread`."""

    hot: Optional[Hot] = field(default=None, metadata={'of': 'Hot'})
    normal: Optional[Normal] = field(default=None, metadata={'of': 'Normal'})
    zipf: Optional[Zipf] = field(default=None, metadata={'of': 'Zipf'})


@dataclass
class TargetThreadTarget:
    """At `profile.time_span.target.thread_target`."""

    thread: Optional[int] = None
    weight: Optional[int] = None


@dataclass
class TargetThroughput:
    """At `profile.time_span.target.throughput`."""

    bytes_per_millisecond: Optional[int] = None
    iops: Optional[int] = None  # I/Os per second


@dataclass
class TimeSpanTarget:
    """At `profile.time_span.target`."""

    atomic: Optional[bool] = None
    base_file_offset: Optional[int] = None
    block_alignment: Optional[int] = None
    block_size: Optional[int] = None  # bytes
    burst_size: Optional[int] = None
    cache_mode: Optional[str] = None
    content: Optional[TargetContent] = field(default=None, metadata={'of': 'TargetContent'})
    distribution: Optional[TargetDistribution] = field(default=None, metadata={'of': 'TargetDistribution'})
    dont_cache: Optional[bool] = None
    each_once: Optional[bool] = None
    fdp: Optional[List[int]] = field(default=None, metadata={'depth': 1})
    file_size: Optional[int] = None
    flush_type: Optional[str] = None
    fua_ratio: Optional[int] = None
    interlocked_sequential: Optional[bool] = None
    io_priority: Optional[str] = None
    max_file_size: Optional[int] = None
    memory_mapped_io: Optional[bool] = None
    mix: Optional[List[Mix]] = field(default=None, metadata={'of': 'Mix', 'depth': 1})
    no_wait: Optional[bool] = None
    parallel_async_io: Optional[bool] = None
    path: Optional[str] = field(default=None, metadata={'of': 'text'})
    random_access: Optional[bool] = None
    random_data_source: Optional[RandomDataSource] = field(default=None, metadata={'of': 'RandomDataSource'})
    random_ratio: Optional[int] = None
    request_count: Optional[int] = None
    sequential_scan: Optional[bool] = None
    sizes: Optional[List[Size]] = field(default=None, metadata={'of': 'Size', 'depth': 1})
    spread: Optional[TargetSpread] = field(default=None, metadata={'of': 'TargetSpread'})
    temporary_file: Optional[bool] = None
    think_time: Optional[int] = None
    thread_stride: Optional[int] = None
    thread_targets: Optional[List[TargetThreadTarget]] = field(default=None, metadata={'of': 'TargetThreadTarget', 'depth': 1})
    threads_per_file: Optional[int] = None
    throughput: Optional[TargetThroughput] = field(default=None, metadata={'of': 'TargetThroughput'})
    trim_ratio: Optional[int] = None
    uncached_devices: Optional[bool] = None
    use_large_pages: Optional[bool] = None
    weight: Optional[int] = None
    write_hint: Optional[str] = None
    write_ratio: Optional[int] = None
    write_streams: Optional[List[int]] = field(default=None, metadata={'depth': 1})
    write_through: Optional[bool] = None
    write_zeroes_ratio: Optional[int] = None
    zero_write_buffers: Optional[bool] = None
    zoned: Optional[bool] = None


@dataclass
class ProfileTimeSpan:
    """At `profile.time_span`."""

    affinity: Optional[List[Affinity]] = field(default=None, metadata={'of': 'Affinity', 'depth': 1})
    calculate_iops_std_dev: Optional[bool] = None  # I/Os per second
    completion_routines: Optional[bool] = None
    cooldown: Optional[int] = None
    disable_affinity: Optional[bool] = None
    duration: Optional[int] = None
    io_bucket_duration: Optional[int] = None
    measure_latency: Optional[bool] = None
    rand_seed: Optional[int] = None
    random_write_data: Optional[bool] = None
    request_count: Optional[int] = None
    targets: Optional[List[TimeSpanTarget]] = field(default=None, metadata={'of': 'TimeSpanTarget', 'depth': 1})
    thread_count: Optional[int] = None
    warmup: Optional[int] = None


@dataclass
class Profile:
    """At `profile`, and 1 more."""

    command_line: Optional[str] = field(default=None, metadata={'of': 'text'})
    etw: Optional[Etw] = field(default=None, metadata={'of': 'Etw'})
    experiment_flags: Optional[int] = None
    precreate_files: Optional[str] = None
    progress: Optional[int] = None
    result_format: Optional[str] = None
    time_spans: Optional[List[ProfileTimeSpan]] = field(default=None, metadata={'of': 'ProfileTimeSpan', 'depth': 1})
    verbose: Optional[bool] = None
    verbose_stats: Optional[bool] = None


@dataclass
class Merged:
    """At `merged`."""

    alignments: Optional[List[Alignment]] = field(default=None, metadata={'of': 'Alignment', 'depth': 1})
    host: Optional[Host] = field(default=None, metadata={'of': 'Host'})
    profile: Optional[Profile] = field(default=None, metadata={'of': 'Profile'})


@dataclass
class Replay:
    """At `method.replay`."""

    duration_given: Optional[bool] = None
    file: Optional[str] = None
    ios: Optional[int] = None
    length_ns: Optional[int] = None  # ns
    speed_thousandths: Optional[int] = None
    stream: Optional[str] = None
    writes: Optional[str] = None


@dataclass
class UntilRead:
    """At `method.until_read`."""

    bytes: Optional[int] = None  # bytes
    times: Optional[int] = None


@dataclass
class UntilWritten:
    """At `method.until_written`."""

    bytes: Optional[int] = None  # bytes
    times: Optional[int] = None


@dataclass
class Method:
    """At `method`."""

    cpu_latency_us: Optional[int] = None  # us
    engine: Optional[str] = None
    explain: Optional[int] = None
    fail_on_outage_ms: Optional[int] = None  # ms
    flush_after: Optional[bool] = None
    fsync_every: Optional[int] = None
    poll: Optional[bool] = None
    prefill: Optional[str] = None
    preset: Optional[str] = None
    rate_total: Optional[RateTotal] = field(default=None, metadata={'of': 'RateTotal'})
    replay: Optional[Replay] = field(default=None, metadata={'of': 'Replay'})
    stuck_ms: Optional[int] = None  # ms
    until_read: Optional[UntilRead] = field(default=None, metadata={'of': 'UntilRead'})
    until_steady_s: Optional[int] = None  # s
    until_written: Optional[UntilWritten] = field(default=None, metadata={'of': 'UntilWritten'})
    verify: Optional[str] = None
    verify_as: Optional[List[int]] = field(default=None, metadata={'depth': 1})


@dataclass
class Fill:
    """At `preconditioning.fill`."""

    bytes: Optional[int] = None  # bytes
    command: Optional[str] = None
    seconds: Optional[float] = None  # s


@dataclass
class Round:
    """At `preconditioning.round`."""

    iops: Optional[float] = None  # I/Os per second
    mean_ms: Optional[float] = None  # ms
    mib_per_s: Optional[float] = None  # 2^20 bytes per second
    p99_ms: Optional[float] = None  # ms


@dataclass
class PreconditioningWindow:
    """At `preconditioning.window`."""

    average_iops: Optional[float] = None  # I/Os per second
    excursion: Optional[float] = None
    slope: Optional[float] = None


@dataclass
class Preconditioning:
    """At `preconditioning`."""

    command: Optional[str] = None
    fill: Optional[Fill] = field(default=None, metadata={'of': 'Fill'})
    purged_bytes: Optional[int] = None  # bytes
    rounds: Optional[List[Round]] = field(default=None, metadata={'of': 'Round', 'depth': 1})
    standard: Optional[str] = None
    steady: Optional[bool] = None
    window: Optional[PreconditioningWindow] = field(default=None, metadata={'of': 'PreconditioningWindow'})


@dataclass
class Claimed:
    """At `program.claimed`."""

    read: Optional[Throughput] = field(default=None, metadata={'of': 'Throughput'})
    seconds: Optional[float] = None  # s
    source: Optional[str] = None
    write: Optional[Throughput] = field(default=None, metadata={'of': 'Throughput'})


@dataclass
class CountedRead:
    """At `program.counted.read`."""

    bytes: Optional[int] = None  # bytes
    calls: Optional[int] = None


@dataclass
class CountedWrite:
    """At `program.counted.write`."""

    bytes: Optional[int] = None  # bytes
    calls: Optional[int] = None


@dataclass
class Counted:
    """At `program.counted`."""

    cancelled_write_bytes: Optional[int] = None  # bytes
    read: Optional[CountedRead] = field(default=None, metadata={'of': 'CountedRead'})
    read_bytes: Optional[int] = None  # bytes
    write: Optional[CountedWrite] = field(default=None, metadata={'of': 'CountedWrite'})
    write_bytes: Optional[int] = None  # bytes


@dataclass
class Ios:
    """At `program.engine.ios`."""

    counted_share: Optional[float] = None
    mean_bytes: Optional[float] = None  # bytes
    reads: Optional[int] = None
    writes: Optional[int] = None


@dataclass
class ProgramEngine:
    """At `program.engine`."""

    engine: Optional[str] = None
    ios: Optional[Ios] = field(default=None, metadata={'of': 'Ios'})
    uncounted_reason: Optional[str] = None


@dataclass
class Deviceless:
    """At `program.read.deviceless`, and 1 more."""

    bytes: Optional[int] = None  # bytes
    calls: Optional[int] = None


@dataclass
class Elsewhere:
    """At `program.read.elsewhere`, and 1 more."""

    bytes: Optional[int] = None  # bytes
    calls: Optional[int] = None


@dataclass
class Storage:
    """At `program.read.storage`, and 1 more."""

    bytes: Optional[int] = None  # bytes
    calls: Optional[int] = None


@dataclass
class Unclear:
    """At `program.read.unclear`, and 1 more."""

    bytes: Optional[int] = None  # bytes
    calls: Optional[int] = None


@dataclass
class ProgramRead:
    """At `program.read`, and 1 more."""

    deviceless: Optional[Deviceless] = field(default=None, metadata={'of': 'Deviceless'})
    elsewhere: Optional[Elsewhere] = field(default=None, metadata={'of': 'Elsewhere'})
    storage: Optional[Storage] = field(default=None, metadata={'of': 'Storage'})
    unclear: Optional[Unclear] = field(default=None, metadata={'of': 'Unclear'})


@dataclass
class Program:
    """At `program`."""

    bypasses_cache: Optional[bool] = None
    claimed: Optional[Claimed] = field(default=None, metadata={'of': 'Claimed'})
    counted: Optional[Counted] = field(default=None, metadata={'of': 'Counted'})
    cpu_ns: Optional[int] = None  # ns
    engines: Optional[List[ProgramEngine]] = field(default=None, metadata={'of': 'ProgramEngine', 'depth': 1})
    exit_code: Optional[int] = None
    files: Optional[List[str]] = field(default=None, metadata={'depth': 1})
    left_running: Optional[int] = None
    observer_cpu_share: Optional[float] = None
    processes: Optional[int] = None
    read: Optional[ProgramRead] = field(default=None, metadata={'of': 'ProgramRead'})
    stopped_us: Optional[int] = None  # us
    unreadable: Optional[int] = None
    words: Optional[List[str]] = field(default=None, metadata={'depth': 1})
    write: Optional[ProgramRead] = field(default=None, metadata={'of': 'ProgramRead'})


@dataclass
class LatencyMs:
    """At `summary.latency_ms`."""

    max: Optional[float] = None
    mean: Optional[float] = None
    p50: Optional[float] = None
    p95: Optional[float] = None
    p99: Optional[float] = None
    p999: Optional[float] = None


@dataclass
class RecordSummary:
    """At `summary`."""

    iops: Optional[float] = None  # I/Os per second
    latency_ms: Optional[LatencyMs] = field(default=None, metadata={'of': 'LatencyMs'})
    mib_per_s: Optional[float] = None  # 2^20 bytes per second
    severity: Optional[str] = None
    verdict: Optional[str] = None


@dataclass
class Record:
    """At the document."""

    figures: Optional[Figures] = field(default=None, metadata={'of': 'Figures'})
    format: Optional[Format] = field(default=None, metadata={'of': 'Format'})
    hosts: Optional[List[Host]] = field(default=None, metadata={'of': 'Host', 'depth': 1})
    index: Optional[Index] = field(default=None, metadata={'of': 'Index'})
    judgement: Optional[Judgement] = field(default=None, metadata={'of': 'Judgement'})
    merged: Optional[Merged] = field(default=None, metadata={'of': 'Merged'})
    method: Optional[Method] = field(default=None, metadata={'of': 'Method'})
    preconditioning: Optional[Preconditioning] = field(default=None, metadata={'of': 'Preconditioning'})
    profile: Optional[Profile] = field(default=None, metadata={'of': 'Profile'})
    program: Optional[Program] = field(default=None, metadata={'of': 'Program'})
    summary: Optional[RecordSummary] = field(default=None, metadata={'of': 'RecordSummary'})


@dataclass
class StreamInterval:
    """At the document."""

    end_ms: Optional[int] = None  # ms
    missed: Optional[int] = None
    partial_s: Optional[float] = None  # s
    percentiles: Optional[Percentiles] = field(default=None, metadata={'of': 'Percentiles'})
    read: Optional[Read] = field(default=None, metadata={'of': 'Read'})
    response: Optional[Response] = field(default=None, metadata={'of': 'Response'})
    started_at: Optional[int] = None
    time_span: Optional[int] = None
    total: Optional[Read] = field(default=None, metadata={'of': 'Read'})
    write: Optional[Read] = field(default=None, metadata={'of': 'Read'})
