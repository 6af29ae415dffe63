"""What records and streams hold, as dataclasses.

Made by tools/generate.py of docs/record.schema.json and docs/stream.schema.json: change those, not this. What each
field means is in docs/record.md. Fields that older programs didn't write are None.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Union


@dataclass
class Format:
    """At `format`."""

    name: str = field(default=None)
    version: int = field(default=None)


@dataclass
class Window:
    """At `host.clock.window`."""

    begin_ns: int = field(default=None)  # ns
    end_ns: int = field(default=None)  # ns


@dataclass
class Clock:
    """At `host.clock`."""

    ahead_ns: int = field(default=None)  # ns
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
class Began:
    """At `host.results.time_span.began`."""

    measuring_utc_ns: int = field(default=None)  # ns since 1970, UTC
    start_signal_utc_ns: int = field(default=None)  # ns since 1970, UTC


@dataclass
class Cpu:
    """At `host.results.time_span.cpu`, and 1 more."""

    idle: int = field(default=None)
    kernel: int = field(default=None)
    user: int = field(default=None)


@dataclass
class Ended:
    """At `host.results.time_span.ended`, and 1 more."""

    by: str = field(default=None)
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
class Interval:
    """At `host.results.time_span.intervals.interval`, and 3 more."""

    read_bytes: int = field(default=None)  # bytes
    write_bytes: int = field(default=None)  # bytes
    latencies: Optional[List[List[int]]] = field(default=None, metadata={'depth': 2})


@dataclass
class Intervals:
    """At `host.results.time_span.intervals`, and 1 more."""

    intervals: List[Interval] = field(default=None, metadata={'of': 'Interval', 'depth': 1})


@dataclass
class Beats:
    """At `host.results.time_span.observed.beats`, and 1 more."""

    ios: str = field(default=None)
    width_us: int = field(default=None)  # us


@dataclass
class Reducer:
    """At `host.results.time_span.observed.content.reducer`."""

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
    repeats: int = field(default=None)
    unwritten: int = field(default=None)
    unwritten_zeros: int = field(default=None)
    zeros: int = field(default=None)


@dataclass
class Space:
    """At `host.results.time_span.observed.content.space`, and 2 more."""

    compressed: int = field(default=None)
    holes: int = field(default=None)
    inline: int = field(default=None)
    known: int = field(default=None)
    pending: int = field(default=None)
    unwritten: int = field(default=None)
    fragments: Optional[int] = field(default=None)
    repeated: Optional[int] = field(default=None)
    shared: Optional[int] = field(default=None)


@dataclass
class Content:
    """At `host.results.time_span.observed.content`."""

    device: bool = field(default=None)
    from_: int = field(default=None, metadata={'key': 'from'})
    nanos: int = field(default=None)
    reducers: List[Reducer] = field(default=None, metadata={'of': 'Reducer', 'depth': 1})
    target: int = field(default=None)
    to: int = field(default=None)
    discards: Optional[bool] = field(default=None)
    rotational: Optional[bool] = field(default=None)
    sample: Optional[Sample] = field(default=None, metadata={'of': 'Sample'})
    space: Optional[Space] = field(default=None, metadata={'of': 'Space'})


@dataclass
class Delays:
    """At `host.results.time_span.observed.delays`."""

    continued: bool = field(default=None)
    longest_at_us: int = field(default=None)  # us
    longest_us: int = field(default=None)  # us
    suspended_us: int = field(default=None)  # us
    times: int = field(default=None)
    total_us: int = field(default=None)  # us
    alone_us: Optional[int] = field(default=None)  # us
    continues: Optional[int] = field(default=None)
    frozen_us: Optional[int] = field(default=None)  # us
    lost_alone_us: Optional[int] = field(default=None)  # us
    lost_us: Optional[int] = field(default=None)  # us


@dataclass
class Upkeep:
    """At `host.results.time_span.observed.devices.array.upkeep`."""

    action: str = field(default=None)
    done: List[float] = field(default=None, metadata={'depth': 1})


@dataclass
class Array:
    """At `host.results.time_span.observed.devices.array`."""

    missing: List[int] = field(default=None, metadata={'depth': 1})
    name: str = field(default=None)
    members: Optional[int] = field(default=None)
    untold: Optional[bool] = field(default=None)
    upkeep: Optional[Upkeep] = field(default=None, metadata={'of': 'Upkeep'})


@dataclass
class Change:
    """At `host.results.time_span.observed.devices.device.change`."""

    after_us: int = field(default=None)  # us
    from_: str = field(default=None, metadata={'key': 'from'})
    seen_us: int = field(default=None)  # us
    setting: str = field(default=None)
    to: str = field(default=None)


@dataclass
class Discard:
    """At `host.results.time_span.observed.devices.device.done.read`, and 2 more."""

    bytes: int = field(default=None)  # bytes
    ios: int = field(default=None)
    merges: int = field(default=None)


@dataclass
class Done:
    """At `host.results.time_span.observed.devices.device.done`."""

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
class Device:
    """At `host.results.time_span.observed.devices.device`."""

    done: Done = field(default=None, metadata={'of': 'Done'})
    ever: bool = field(default=None)
    in_flight_before: int = field(default=None)
    name: str = field(default=None)
    changes: Optional[List[Change]] = field(default=None, metadata={'of': 'Change', 'depth': 1})
    counts_flushes: Optional[bool] = field(default=None)
    switched: Optional[bool] = field(default=None)


@dataclass
class Own:
    """At `host.results.time_span.observed.devices.own`."""

    cancelled_write_bytes: int = field(default=None)  # bytes
    read_bytes: int = field(default=None)  # bytes
    read_calls: int = field(default=None)
    write_bytes: int = field(default=None)  # bytes


@dataclass
class Times:
    """At `host.results.time_span.observed.devices.remote.done.read.times`, and 2 more."""

    queue_ms: int = field(default=None)  # ms
    round_trip_ms: int = field(default=None)  # ms
    total_ms: int = field(default=None)  # ms


@dataclass
class Commit:
    """At `host.results.time_span.observed.devices.remote.done.read`, and 2 more."""

    errors: int = field(default=None)
    requests: int = field(default=None)
    timeouts: int = field(default=None)
    times: Optional[Times] = field(default=None, metadata={'of': 'Times'})
    transmissions: Optional[int] = field(default=None)


@dataclass
class RemoteDone:
    """At `host.results.time_span.observed.devices.remote.done`."""

    commit: Commit = field(default=None, metadata={'of': 'Commit'})
    read: Commit = field(default=None, metadata={'of': 'Commit'})
    read_bytes: int = field(default=None)  # bytes
    write: Commit = field(default=None, metadata={'of': 'Commit'})
    write_bytes: int = field(default=None)  # bytes
    reconnects: Optional[int] = field(default=None)


@dataclass
class Tcp:
    """At `host.results.time_span.observed.devices.remote.tcp`."""

    sent: int = field(default=None)
    sent_again: int = field(default=None)


@dataclass
class Remote:
    """At `host.results.time_span.observed.devices.remote`."""

    done: RemoteDone = field(default=None, metadata={'of': 'RemoteDone'})
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

    at: str = field(default=None)
    kind: str = field(default=None)
    options: str = field(default=None)


@dataclass
class LayerRemote:
    """At `host.results.time_span.observed.devices.target.stack.layer.remote`."""

    at: str = field(default=None)
    protocol: str = field(default=None)
    source: str = field(default=None)


@dataclass
class Traits:
    """At `host.results.time_span.observed.devices.target.stack.layer.traits`."""

    fua: Optional[bool] = field(default=None)
    largest_io: Optional[int] = field(default=None)
    possible_io: Optional[int] = field(default=None)
    write_back: Optional[bool] = field(default=None)


@dataclass
class Layer:
    """At `host.results.time_span.observed.devices.target.stack.layer`."""

    counted: bool = field(default=None)
    faithful: bool = field(default=None)
    kind: str = field(default=None)
    name: str = field(default=None)
    on: List[str] = field(default=None, metadata={'depth': 1})
    direct: Optional[bool] = field(default=None)
    memory: Optional[str] = field(default=None)
    number: Optional[str] = field(default=None)
    remote: Optional[LayerRemote] = field(default=None, metadata={'of': 'LayerRemote'})
    traits: Optional[Traits] = field(default=None, metadata={'of': 'Traits'})
    unknown_below: Optional[str] = field(default=None)


@dataclass
class Stack:
    """At `host.results.time_span.observed.devices.target.stack`."""

    first: List[str] = field(default=None, metadata={'depth': 1})
    layers: List[Layer] = field(default=None, metadata={'of': 'Layer', 'depth': 1})
    file_system: Optional[str] = field(default=None)
    in_memory: Optional[str] = field(default=None)
    mounts: Optional[List[Remounted]] = field(default=None, metadata={'of': 'Remounted', 'depth': 1})
    without: Optional[str] = field(default=None)


@dataclass
class State:
    """At `host.results.time_span.observed.devices.target.state`."""

    links: int = field(default=None)
    seen_us: int = field(default=None)  # us
    size: int = field(default=None)
    synchronous: bool = field(default=None)


@dataclass
class Target:
    """At `host.results.time_span.observed.devices.target`."""

    stack: Stack = field(default=None, metadata={'of': 'Stack'})
    target: int = field(default=None)
    atomic: Optional[Atomic] = field(default=None, metadata={'of': 'Atomic'})
    cached: Optional[Cached] = field(default=None, metadata={'of': 'Cached'})
    came: Optional[int] = field(default=None)
    flush: Optional[int] = field(default=None)
    moved_to: Optional[List[str]] = field(default=None, metadata={'depth': 1})
    remounted: Optional[List[Remounted]] = field(default=None, metadata={'of': 'Remounted', 'depth': 1})
    states: Optional[List[State]] = field(default=None, metadata={'of': 'State', 'depth': 1})
    synchronous: Optional[bool] = field(default=None)
    unwritten: Optional[int] = field(default=None)
    unwritten_before: Optional[int] = field(default=None)
    write_error: Optional[int] = field(default=None)


@dataclass
class Devices:
    """At `host.results.time_span.observed.devices`."""

    devices: List[Device] = field(default=None, metadata={'of': 'Device', 'depth': 1})
    elapsed: int = field(default=None)
    targets: List[Target] = field(default=None, metadata={'of': 'Target', 'depth': 1})
    arrays: Optional[List[Array]] = field(default=None, metadata={'of': 'Array', 'depth': 1})
    own: Optional[Own] = field(default=None, metadata={'of': 'Own'})
    remote: Optional[List[Remote]] = field(default=None, metadata={'of': 'Remote', 'depth': 1})
    space: Optional[List[DevicesSpace]] = field(default=None, metadata={'of': 'DevicesSpace', 'depth': 1})
    unwritten: Optional[List[int]] = field(default=None, metadata={'depth': 1})


@dataclass
class IoControl:
    """At `host.results.time_span.observed.effort.io_control`."""

    device: str = field(default=None)
    group: str = field(default=None)
    setting: str = field(default=None)


@dataclass
class IoCost:
    """At `host.results.time_span.observed.effort.io_cost`."""

    device: str = field(default=None)
    group: str = field(default=None)
    usage_us: int = field(default=None)  # us
    indebt_us: Optional[int] = field(default=None)  # us
    indelay_us: Optional[int] = field(default=None)  # us
    wait_us: Optional[int] = field(default=None)  # us


@dataclass
class IoLimit:
    """At `host.results.time_span.observed.effort.io_limit`, and 1 more."""

    device: str = field(default=None)
    group: str = field(default=None)
    read_bytes: Optional[int] = field(default=None)  # bytes
    reads: Optional[int] = field(default=None)
    write_bytes: Optional[int] = field(default=None)  # bytes
    writes: Optional[int] = field(default=None)


@dataclass
class LimitChangeCpu:
    """At `host.results.time_span.observed.effort.limit_change.cpu`."""

    cpus: float = field(default=None)
    group: str = field(default=None)


@dataclass
class LimitChange:
    """At `host.results.time_span.observed.effort.limit_change`."""

    after_us: int = field(default=None)  # us
    io_limits: List[IoLimit] = field(default=None, metadata={'of': 'IoLimit', 'depth': 1})
    seen_us: int = field(default=None)  # us
    cpus: Optional[List[LimitChangeCpu]] = field(default=None, metadata={'of': 'LimitChangeCpu', 'depth': 1})
    moved: Optional[bool] = field(default=None)


@dataclass
class MemoryChange:
    """At `host.results.time_span.observed.effort.memory.change`."""

    after_us: int = field(default=None)  # us
    seen_us: int = field(default=None)  # us
    bytes: Optional[int] = field(default=None)  # bytes


@dataclass
class Memory:
    """At `host.results.time_span.observed.effort.memory`."""

    group: str = field(default=None)
    reached: int = field(default=None)
    bytes: Optional[int] = field(default=None)  # bytes
    changes: Optional[List[MemoryChange]] = field(default=None, metadata={'of': 'MemoryChange', 'depth': 1})
    stalled_us: Optional[int] = field(default=None)  # us


@dataclass
class Busiest:
    """At `host.results.time_span.observed.effort.others.busiest`."""

    busy: int = field(default=None)
    kernel: bool = field(default=None)
    name: str = field(default=None)
    pid: int = field(default=None)


@dataclass
class Others:
    """At `host.results.time_span.observed.effort.others`."""

    busiest: List[Busiest] = field(default=None, metadata={'of': 'Busiest', 'depth': 1})
    elapsed: int = field(default=None)
    programs: int = field(default=None)
    kernel: Optional[int] = field(default=None)
    kernel_waiting: Optional[int] = field(default=None)


@dataclass
class Quota:
    """At `host.results.time_span.observed.effort.quota`."""

    cpus: float = field(default=None)
    group: str = field(default=None)
    periods: int = field(default=None)
    throttled: int = field(default=None)
    throttled_periods: int = field(default=None)


@dataclass
class Tool:
    """At `host.results.time_span.observed.effort.tool`."""

    clock: float = field(default=None)
    histogram: float = field(default=None)
    io: Optional[float] = field(default=None)
    ring_noop: Optional[float] = field(default=None)


@dataclass
class Rebound:
    """At `host.results.time_span.observed.effort.worker.rebound`."""

    after_us: int = field(default=None)  # us
    cpus: List[int] = field(default=None, metadata={'depth': 1})
    seen_us: int = field(default=None)  # us


@dataclass
class WorkerTimes:
    """At `host.results.time_span.observed.effort.worker.times`."""

    busy: int = field(default=None)
    system: int = field(default=None)
    user: int = field(default=None)
    waiting: Optional[int] = field(default=None)


@dataclass
class Worker:
    """At `host.results.time_span.observed.effort.worker`."""

    depth: int = field(default=None)
    engine: str = field(default=None)
    cpu: Optional[int] = field(default=None)
    rebound: Optional[Rebound] = field(default=None, metadata={'of': 'Rebound'})
    times: Optional[WorkerTimes] = field(default=None, metadata={'of': 'WorkerTimes'})


@dataclass
class Effort:
    """At `host.results.time_span.observed.effort`."""

    io_limits: List[IoLimit] = field(default=None, metadata={'of': 'IoLimit', 'depth': 1})
    others: Others = field(default=None, metadata={'of': 'Others'})
    process: int = field(default=None)
    quotas: List[Quota] = field(default=None, metadata={'of': 'Quota', 'depth': 1})
    tool: Tool = field(default=None, metadata={'of': 'Tool'})
    workers: List[Worker] = field(default=None, metadata={'of': 'Worker', 'depth': 1})
    io_controls: Optional[List[IoControl]] = field(default=None, metadata={'of': 'IoControl', 'depth': 1})
    io_costs: Optional[List[IoCost]] = field(default=None, metadata={'of': 'IoCost', 'depth': 1})
    limit_changes: Optional[List[LimitChange]] = field(default=None, metadata={'of': 'LimitChange', 'depth': 1})
    memory: Optional[List[Memory]] = field(default=None, metadata={'of': 'Memory', 'depth': 1})


@dataclass
class Disk:
    """At `host.results.time_span.observed.heat.after.disk`, and 1 more."""

    celsius: float = field(default=None)
    disk: str = field(default=None)
    limit: Optional[float] = field(default=None)


@dataclass
class After:
    """At `host.results.time_span.observed.heat.after`."""

    disks: List[Disk] = field(default=None, metadata={'of': 'Disk', 'depth': 1})
    cpu_throttles: Optional[int] = field(default=None)


@dataclass
class Before:
    """At `host.results.time_span.observed.heat.before`."""

    disks: List[Disk] = field(default=None, metadata={'of': 'Disk', 'depth': 1})
    cpu_throttles: Optional[int] = field(default=None)


@dataclass
class Heat:
    """At `host.results.time_span.observed.heat`."""

    after: After = field(default=None, metadata={'of': 'After'})
    before: Before = field(default=None, metadata={'of': 'Before'})


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
class Lost:
    """At `host.results.time_span.observed.lost`."""

    interrupts: int = field(default=None)
    stolen: int = field(default=None)


@dataclass
class OutageChange:
    """At `judgement.outage.change`, and 1 more."""

    from_: str = field(default=None, metadata={'key': 'from'})
    seen_us: int = field(default=None)  # us
    to: str = field(default=None)
    what: str = field(default=None)


@dataclass
class Silence:
    """At `host.results.time_span.observed.quiet.silence`."""

    begin_us: int = field(default=None)  # us
    end_us: int = field(default=None)  # us
    target: int = field(default=None)
    changes: Optional[List[OutageChange]] = field(default=None, metadata={'of': 'OutageChange', 'depth': 1})
    in_flight: Optional[int] = field(default=None)


@dataclass
class Stuck:
    """At `host.results.time_span.observed.quiet.stuck`."""

    length: int = field(default=None)
    offset: int = field(default=None)
    operation: str = field(default=None)
    seen_us: int = field(default=None)  # us
    submitted_us: int = field(default=None)  # us
    target: int = field(default=None)


@dataclass
class QuietTarget:
    """At `host.results.time_span.observed.quiet.target`."""

    beats: Beats = field(default=None, metadata={'of': 'Beats'})
    target: int = field(default=None)


@dataclass
class Unseen:
    """At `host.results.time_span.observed.quiet.unseen`."""

    begin_us: int = field(default=None)  # us
    end_us: int = field(default=None)  # us


@dataclass
class Quiet:
    """At `host.results.time_span.observed.quiet`."""

    silences: Optional[List[Silence]] = field(default=None, metadata={'of': 'Silence', 'depth': 1})
    stuck: Optional[List[Stuck]] = field(default=None, metadata={'of': 'Stuck', 'depth': 1})
    targets: Optional[List[QuietTarget]] = field(default=None, metadata={'of': 'QuietTarget', 'depth': 1})
    unseen: Optional[List[Unseen]] = field(default=None, metadata={'of': 'Unseen', 'depth': 1})


@dataclass
class ObservedSample:
    """At `host.results.time_span.observed.sample`."""

    bytes: int = field(default=None)  # bytes
    end_us: int = field(default=None)  # us
    ios: int = field(default=None)


@dataclass
class SleepState:
    """At `host.results.time_span.observed.sleep.state`."""

    entered: int = field(default=None)
    latency: int = field(default=None)
    name: str = field(default=None)


@dataclass
class Sleep:
    """At `host.results.time_span.observed.sleep`."""

    cpu: int = field(default=None)
    states: List[SleepState] = field(default=None, metadata={'of': 'SleepState', 'depth': 1})


@dataclass
class Culprit:
    """At `host.results.time_span.observed.slow.io.culprit`."""

    kind: str = field(default=None)
    ns: int = field(default=None)
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
    culprit: Optional[Culprit] = field(default=None, metadata={'of': 'Culprit'})


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
    lost: int = field(default=None)
    missed: int = field(default=None)
    seconds: List[Second] = field(default=None, metadata={'of': 'Second', 'depth': 1})
    wanted: int = field(default=None)
    trouble: Optional[str] = field(default=None)


@dataclass
class Health:
    """At `host.results.time_span.observed.statement.after.health`, and 1 more."""

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
    """At `host.results.time_span.observed.statement.after.media`, and 1 more."""

    erased_bytes: int = field(default=None)  # bytes
    host_bytes: int = field(default=None)  # bytes
    media_bytes: int = field(default=None)  # bytes


@dataclass
class ReadBin:
    """At `host.results.time_span.observed.statement.after.volume.read_bin`, and 3 more."""

    count: int = field(default=None)
    lower_us: int = field(default=None)  # us
    upper_us: int = field(default=None)  # us


@dataclass
class Volume:
    """At `host.results.time_span.observed.statement.after.volume`, and 1 more."""

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
class StatementAfter:
    """At `host.results.time_span.observed.statement.after`, and 1 more."""

    health: Optional[Health] = field(default=None, metadata={'of': 'Health'})
    media: Optional[Media] = field(default=None, metadata={'of': 'Media'})
    volume: Optional[Volume] = field(default=None, metadata={'of': 'Volume'})


@dataclass
class Statement:
    """At `host.results.time_span.observed.statement`."""

    apart_ns: int = field(default=None)  # ns
    device: str = field(default=None)
    source: str = field(default=None)
    after: Optional[StatementAfter] = field(default=None, metadata={'of': 'StatementAfter'})
    before: Optional[StatementAfter] = field(default=None, metadata={'of': 'StatementAfter'})
    refused: Optional[str] = field(default=None)


@dataclass
class Count:
    """At `summary.time_span.trace.count`, and 1 more."""

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
class Read:
    """At `summary.time_span.trace.device.read`, and 3 more."""

    requests: int = field(default=None)
    mean: Optional[float] = field(default=None)
    median: Optional[float] = field(default=None)
    own: Optional[float] = field(default=None)
    p99: Optional[float] = field(default=None)
    timed: Optional[int] = field(default=None)
    times: Optional[ReadTimes] = field(default=None, metadata={'of': 'ReadTimes'})


@dataclass
class TraceDevice:
    """At `summary.time_span.trace.device`, and 1 more."""

    device: str = field(default=None)
    read: Read = field(default=None, metadata={'of': 'Read'})
    write: Read = field(default=None, metadata={'of': 'Read'})
    flushes: Optional[int] = field(default=None)
    reason: Optional[str] = field(default=None)
    targets: Optional[List[int]] = field(default=None, metadata={'depth': 1})


@dataclass
class Session:
    """At `summary.time_span.trace.session`, and 1 more."""

    buffer_kib: int = field(default=None)
    buffers: int = field(default=None)
    clock: str = field(default=None)
    lost: int = field(default=None)
    read: int = field(default=None)


@dataclass
class Trace:
    """At `summary.time_span.trace`, and 1 more."""

    counts: List[Count] = field(default=None, metadata={'of': 'Count', 'depth': 1})
    session: Session = field(default=None, metadata={'of': 'Session'})
    devices: Optional[List[TraceDevice]] = field(default=None, metadata={'of': 'TraceDevice', 'depth': 1})


@dataclass
class Tracer:
    """At `host.results.time_span.observed.tracer`."""

    looks: int = field(default=None)
    name: str = field(default=None)
    of: int = field(default=None)
    pid: int = field(default=None)
    samples: int = field(default=None)
    stopped: int = field(default=None)


@dataclass
class WarmUp:
    """At `host.results.time_span.observed.warm_up`."""

    limit: int = field(default=None)
    seconds: int = field(default=None)  # s
    steady: bool = field(default=None)


@dataclass
class Observed:
    """At `host.results.time_span.observed`."""

    beats: Optional[Beats] = field(default=None, metadata={'of': 'Beats'})
    content: Optional[List[Content]] = field(default=None, metadata={'of': 'Content', 'depth': 1})
    cpu_latency: Optional[int] = field(default=None)
    delays: Optional[Delays] = field(default=None, metadata={'of': 'Delays'})
    devices: Optional[Devices] = field(default=None, metadata={'of': 'Devices'})
    effort: Optional[Effort] = field(default=None, metadata={'of': 'Effort'})
    heat: Optional[Heat] = field(default=None, metadata={'of': 'Heat'})
    interrupts: Optional[List[Interrupt]] = field(default=None, metadata={'of': 'Interrupt', 'depth': 1})
    latencies: Optional[Latencies] = field(default=None, metadata={'of': 'Latencies'})
    lost: Optional[List[Lost]] = field(default=None, metadata={'of': 'Lost', 'depth': 1})
    offline: Optional[List[int]] = field(default=None, metadata={'depth': 1})
    one_by_one: Optional[List[str]] = field(default=None, metadata={'depth': 1})
    polled: Optional[bool] = field(default=None)
    quiet: Optional[Quiet] = field(default=None, metadata={'of': 'Quiet'})
    samples: Optional[List[ObservedSample]] = field(default=None, metadata={'of': 'ObservedSample', 'depth': 1})
    sleeps: Optional[List[Sleep]] = field(default=None, metadata={'of': 'Sleep', 'depth': 1})
    slow: Optional[Slow] = field(default=None, metadata={'of': 'Slow'})
    statements: Optional[List[Statement]] = field(default=None, metadata={'of': 'Statement', 'depth': 1})
    trace: Optional[Trace] = field(default=None, metadata={'of': 'Trace'})
    tracer: Optional[Tracer] = field(default=None, metadata={'of': 'Tracer'})
    until_read: Optional[int] = field(default=None)
    until_written: Optional[int] = field(default=None)
    warm_up: Optional[WarmUp] = field(default=None, metadata={'of': 'WarmUp'})


@dataclass
class Responses:
    """At `host.results.time_span.responses`, and 1 more."""

    intervals: List[Interval] = field(default=None, metadata={'of': 'Interval', 'depth': 1})


@dataclass
class Engine:
    """At `host.results.time_span.thread.engine`, and 1 more."""

    clock: str = field(default=None)
    features: str = field(default=None)
    name: str = field(default=None)
    reason: str = field(default=None)


@dataclass
class Latency:
    """At `whole.host.results.time_span.merged.read.latency`, and 9 more."""

    packed: str = field(default=None)
    moments: Optional[Moments] = field(default=None, metadata={'of': 'Moments'})


@dataclass
class Delay:
    """At `whole.host.results.time_span.merged.read.paced.delay`, and 9 more."""

    packed: str = field(default=None)
    moments: Optional[Moments] = field(default=None, metadata={'of': 'Moments'})


@dataclass
class Response:
    """At `whole.host.results.time_span.merged.read.paced.response`, and 9 more."""

    packed: str = field(default=None)
    moments: Optional[Moments] = field(default=None, metadata={'of': 'Moments'})


@dataclass
class Paced:
    """At `whole.host.results.time_span.merged.read.paced`, and 9 more."""

    delay: Delay = field(default=None, metadata={'of': 'Delay'})
    response: Optional[Response] = field(default=None, metadata={'of': 'Response'})


@dataclass
class Series:
    """At `host.results.time_span.thread.target.read.series`, and 7 more."""

    allocated: int = field(default=None)
    last: int = field(default=None)
    packed: str = field(default=None)
    width: int = field(default=None)


@dataclass
class Discards:
    """At `host.results.time_span.thread.target.discards`, and 3 more."""

    bytes: int = field(default=None)  # bytes
    ios: int = field(default=None)
    latency: Latency = field(default=None, metadata={'of': 'Latency'})
    paced: Paced = field(default=None, metadata={'of': 'Paced'})
    series: Series = field(default=None, metadata={'of': 'Series'})
    short: int = field(default=None)


@dataclass
class Range:
    """At `summary.time_span.distribution.range`, and 2 more."""

    io_base: int = field(default=None)
    io_span: int = field(default=None)
    length: int = field(default=None)
    start: int = field(default=None)


@dataclass
class Flushes:
    """At `host.results.time_span.thread.target.flushes`."""

    packed: str = field(default=None)
    moments: Optional[Moments] = field(default=None, metadata={'of': 'Moments'})


@dataclass
class Failed:
    """At `summary.time_span.integrity.row.results.failed`, and 1 more."""

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
    """At `summary.time_span.integrity.row.results.failure.found`, and 1 more."""

    generation: int = field(default=None)
    of_this_run: bool = field(default=None)
    offset: int = field(default=None)
    target: int = field(default=None)
    write: int = field(default=None)
    writer: int = field(default=None)


@dataclass
class Failure:
    """At `summary.time_span.integrity.row.results.failure`, and 1 more."""

    at_us: int = field(default=None)  # us
    expected: int = field(default=None)
    fault: str = field(default=None)
    offset: int = field(default=None)
    found: Optional[Found] = field(default=None, metadata={'of': 'Found'})


@dataclass
class Integrity:
    """At `summary.time_span.integrity.row.results`, and 1 more."""

    acknowledged: int = field(default=None)
    failed: Failed = field(default=None, metadata={'of': 'Failed'})
    failures: List[Failure] = field(default=None, metadata={'of': 'Failure', 'depth': 1})
    stamped: int = field(default=None)
    stamped_as: int = field(default=None)
    undecided: int = field(default=None)
    unknown: int = field(default=None)
    verified: int = field(default=None)


@dataclass
class Overdue:
    """At `host.results.time_span.thread.target.overdue`, and 1 more."""

    ios: int = field(default=None)
    longest: int = field(default=None)


@dataclass
class Write:
    """At `host.results.time_span.thread.target.read`, and 5 more."""

    bytes: int = field(default=None)  # bytes
    ios: int = field(default=None)
    short: int = field(default=None)
    latency: Optional[Latency] = field(default=None, metadata={'of': 'Latency'})
    moments: Optional[Moments] = field(default=None, metadata={'of': 'Moments'})
    nowait_misses: Optional[int] = field(default=None)
    paced: Optional[Paced] = field(default=None, metadata={'of': 'Paced'})
    series: Optional[Series] = field(default=None, metadata={'of': 'Series'})


@dataclass
class Part:
    """At `host.results.time_span.thread.target.part`."""

    block_size: int = field(default=None)  # bytes
    part: int = field(default=None)
    read: Write = field(default=None, metadata={'of': 'Write'})
    write: Write = field(default=None, metadata={'of': 'Write'})


@dataclass
class ThreadTarget:
    """At `host.results.time_span.thread.target`, and 1 more."""

    read: Write = field(default=None, metadata={'of': 'Write'})
    size: int = field(default=None)
    target: int = field(default=None)
    write: Write = field(default=None, metadata={'of': 'Write'})
    discards: Optional[Discards] = field(default=None, metadata={'of': 'Discards'})
    distribution: Optional[List[Range]] = field(default=None, metadata={'of': 'Range', 'depth': 1})
    flushes: Optional[Flushes] = field(default=None, metadata={'of': 'Flushes'})
    integrity: Optional[Integrity] = field(default=None, metadata={'of': 'Integrity'})
    overdue: Optional[Overdue] = field(default=None, metadata={'of': 'Overdue'})
    parts: Optional[List[Part]] = field(default=None, metadata={'of': 'Part', 'depth': 1})
    unfinished: Optional[List[int]] = field(default=None, metadata={'depth': 1})
    write_zeroes: Optional[Discards] = field(default=None, metadata={'of': 'Discards'})


@dataclass
class Waits:
    """At `summary.time_span.wait.waits`, and 2 more."""

    completion_waits: int = field(default=None)
    lookaside_completions: List[int] = field(default=None, metadata={'depth': 1})
    lookasides: int = field(default=None)
    throttle_sleeps: int = field(default=None)
    throttle_waits: int = field(default=None)


@dataclass
class Thread:
    """At `host.results.time_span.thread`, and 1 more."""

    targets: List[ThreadTarget] = field(default=None, metadata={'of': 'ThreadTarget', 'depth': 1})
    engine: Optional[Engine] = field(default=None, metadata={'of': 'Engine'})
    wait: Optional[Waits] = field(default=None, metadata={'of': 'Waits'})


@dataclass
class ReadService:
    """At `whole.host.results.time_span.merged.read.service`, and 1 more."""

    moments: Moments = field(default=None, metadata={'of': 'Moments'})
    packed: str = field(default=None)


@dataclass
class MergedRead:
    """At `whole.host.results.time_span.merged.read`, and 1 more."""

    latency: Latency = field(default=None, metadata={'of': 'Latency'})
    paced: Paced = field(default=None, metadata={'of': 'Paced'})
    service: ReadService = field(default=None, metadata={'of': 'ReadService'})


@dataclass
class MergedTarget:
    """At `whole.host.results.time_span.merged.target`."""

    rows: List[List[float]] = field(default=None, metadata={'depth': 2})
    target: int = field(default=None)


@dataclass
class Merged:
    """At `whole.host.results.time_span.merged`."""

    read: MergedRead = field(default=None, metadata={'of': 'MergedRead'})
    targets: List[MergedTarget] = field(default=None, metadata={'of': 'MergedTarget', 'depth': 1})
    write: MergedRead = field(default=None, metadata={'of': 'MergedRead'})
    covered: Optional[int] = field(default=None)


@dataclass
class TimeSpan:
    """At `host.results.time_span`, and 1 more."""

    cpus: List[Cpu] = field(default=None, metadata={'of': 'Cpu', 'depth': 1})
    errors: List[Error] = field(default=None, metadata={'of': 'Error', 'depth': 1})
    measured: int = field(default=None)
    threads: List[Thread] = field(default=None, metadata={'of': 'Thread', 'depth': 1})
    began: Optional[Began] = field(default=None, metadata={'of': 'Began'})
    ended: Optional[Ended] = field(default=None, metadata={'of': 'Ended'})
    intervals: Optional[Intervals] = field(default=None, metadata={'of': 'Intervals'})
    merged: Optional[Merged] = field(default=None, metadata={'of': 'Merged'})
    observed: Optional[Observed] = field(default=None, metadata={'of': 'Observed'})
    responses: Optional[Responses] = field(default=None, metadata={'of': 'Responses'})
    started_at: Optional[int] = field(default=None)


@dataclass
class Results:
    """At `host.results`, and 1 more."""

    time_spans: List[TimeSpan] = field(default=None, metadata={'of': 'TimeSpan', 'depth': 1})


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
    """At `host.summary.known.findings`."""

    names: List[str] = field(default=None, metadata={'depth': 1})
    worst: str = field(default=None)


@dataclass
class OriginRecord:
    """At `host.summary.known.origin.record`."""

    version: int = field(default=None)


@dataclass
class Origin:
    """At `host.summary.known.origin`."""

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

    block_size: int = field(default=None)  # bytes
    caching: Caching = field(default=None, metadata={'of': 'Caching'})
    outstanding: int = field(default=None)
    random_percent: int = field(default=None)  # percent
    rate: Union[Rate, str] = field(default=None, metadata={'of': 'Rate'})
    stride: int = field(default=None)
    threads: int = field(default=None)
    write_percent: int = field(default=None)  # percent
    trim_percent: Optional[int] = field(default=None)  # percent
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

    duration_s: int = field(default=None)  # s
    floating_pool: bool = field(default=None)
    in_flight: int = field(default=None)
    rand_seed: int = field(default=None)
    targets: List[ParametersTarget] = field(default=None, metadata={'of': 'ParametersTarget', 'depth': 1})
    threads: int = field(default=None)
    warmup_s: int = field(default=None)  # s
    fsync_every: Optional[int] = field(default=None)
    rate_total: Optional[RateTotal] = field(default=None, metadata={'of': 'RateTotal'})


@dataclass
class Percentile:
    """At `index.time_span.percentile`, and 19 more."""

    percent: Optional[float] = field(default=None)  # percent
    read: Optional[float] = field(default=None)
    total: Optional[float] = field(default=None)
    write: Optional[float] = field(default=None)


@dataclass
class Total:
    """At `summary.totals.read`, and 14 more."""

    bytes: int = field(default=None)  # bytes
    iops: float = field(default=None)  # I/Os per second
    ios: int = field(default=None)
    mib_per_s: float = field(default=None)  # 2^20 bytes per second
    iops_std_dev: Optional[float] = field(default=None)  # I/Os per second
    max_ms: Optional[float] = field(default=None)  # ms
    mean_ms: Optional[float] = field(default=None)  # ms
    min_ms: Optional[float] = field(default=None)  # ms
    nowait_misses: Optional[int] = field(default=None)
    std_dev_ms: Optional[float] = field(default=None)  # ms


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
    read: Total = field(default=None, metadata={'of': 'Total'})
    seconds: float = field(default=None)  # s
    total: Total = field(default=None, metadata={'of': 'Total'})
    write: Total = field(default=None, metadata={'of': 'Total'})
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
class Known:
    """At `host.summary.known`."""

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
    begin_ns: Optional[int] = field(default=None)  # ns
    shift: Optional[int] = field(default=None)


@dataclass
class Summary:
    """At `host.summary`."""

    findings: List[Finding] = field(default=None, metadata={'of': 'Finding', 'depth': 1})
    known: Known = field(default=None, metadata={'of': 'Known'})
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
    forbidden: Optional[List[List[int]]] = field(default=None, metadata={'depth': 2})


@dataclass
class Unread:
    """At `host.system.unread`."""

    facts: str = field(default=None)
    path: str = field(default=None)
    processors: bool = field(default=None)
    remedy: str = field(default=None)
    why: str = field(default=None)


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
    unread: Optional[List[Unread]] = field(default=None, metadata={'of': 'Unread', 'depth': 1})


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
    results: Results = field(default=None, metadata={'of': 'Results'})
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
    started_at: Optional[int] = field(default=None)
    unmeasured: Optional[List[Unmeasured]] = field(default=None, metadata={'of': 'Unmeasured', 'depth': 1})
    worst: Optional[str] = field(default=None)


@dataclass
class Limit:
    """At `judgement.limit`."""

    depth: int = field(default=None)
    accounted: Optional[float] = field(default=None)
    bottom_in_flight: Optional[float] = field(default=None)
    busiest: Optional[float] = field(default=None)
    busy: Optional[float] = field(default=None)
    ceiling_iops: Optional[float] = field(default=None)  # I/Os per second
    cpu_per_io: Optional[float] = field(default=None)
    device_in_flight: Optional[float] = field(default=None)
    in_flight: Optional[float] = field(default=None)
    interrupts: Optional[float] = field(default=None)
    limited_by: Optional[str] = field(default=None)
    stolen: Optional[float] = field(default=None)
    uncrowded_iops: Optional[float] = field(default=None)  # I/Os per second
    user: Optional[float] = field(default=None)
    waiting: Optional[float] = field(default=None)


@dataclass
class Outage:
    """At `judgement.outage`."""

    at_end: bool = field(default=None)
    begin_s: float = field(default=None)  # s
    changes: List[OutageChange] = field(default=None, metadata={'of': 'OutageChange', 'depth': 1})
    errors: int = field(default=None)
    ios: int = field(default=None)
    length_s: float = field(default=None)  # s
    began_utc_ms: Optional[int] = field(default=None)  # ms
    in_flight: Optional[int] = field(default=None)
    target: Optional[str] = field(default=None)
    usual_ios: Optional[float] = field(default=None)


@dataclass
class Interruptions:
    """At `judgement.steadiness.interruptions`."""

    begin: float = field(default=None)
    depth: float = field(default=None)
    end: float = field(default=None)
    share: float = field(default=None)
    times: int = field(default=None)
    period: Any = field(default=None)


@dataclass
class Stalls:
    """At `judgement.steadiness.stalls`."""

    begin: float = field(default=None)
    interval: float = field(default=None)
    iops: float = field(default=None)  # I/Os per second
    length: float = field(default=None)
    longest: float = field(default=None)
    period: float = field(default=None)
    share: float = field(default=None)
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
class Distribution:
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
class Path:
    """At `profile.time_span.target.random_data_source.path`."""

    bytes: List[int] = field(default=None, metadata={'depth': 1})  # bytes


@dataclass
class RandomDataSource:
    """At `profile.time_span.target.random_data_source`."""

    size: int = field(default=None)
    path: Optional[Path] = field(default=None, metadata={'of': 'Path'})


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
class Throughput:
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
    distribution: Optional[Distribution] = field(default=None, metadata={'of': 'Distribution'})
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
    throughput: Optional[Throughput] = field(default=None, metadata={'of': 'Throughput'})
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
class Average:
    """At `summary.time_span.cpu.average`, and 1 more."""

    idle: float = field(default=None)
    kernel: float = field(default=None)
    usage: float = field(default=None)
    user: float = field(default=None)


@dataclass
class Columns:
    """At `summary.time_span.cpu.columns`."""

    class_: bool = field(default=None, metadata={'key': 'class'})
    core: bool = field(default=None)
    group: bool = field(default=None)
    node: bool = field(default=None)
    socket: bool = field(default=None)


@dataclass
class Row:
    """At `summary.time_span.cpu.row`."""

    class_: int = field(default=None, metadata={'key': 'class'})
    core: int = field(default=None)
    cpu: int = field(default=None)
    group: int = field(default=None)
    node: int = field(default=None)
    performance: bool = field(default=None)
    socket: int = field(default=None)
    usage: Average = field(default=None, metadata={'of': 'Average'})


@dataclass
class TimeSpanCpu:
    """At `summary.time_span.cpu`."""

    average: Average = field(default=None, metadata={'of': 'Average'})
    columns: Columns = field(default=None, metadata={'of': 'Columns'})
    rows: List[Row] = field(default=None, metadata={'of': 'Row', 'depth': 1})


@dataclass
class TotalLatency:
    """At `summary.time_span.read.total.latency`, and 5 more."""

    mean: Optional[float] = field(default=None)
    std_dev: Optional[float] = field(default=None)


@dataclass
class Figures:
    """At `summary.time_span.read.total`, and 11 more."""

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
    throughput: Optional[Total] = field(default=None, metadata={'of': 'Total'})
    write_zeroes: Optional[int] = field(default=None)


@dataclass
class DiscardsRow:
    """At `summary.time_span.read.row`, and 5 more."""

    figures: Figures = field(default=None, metadata={'of': 'Figures'})
    path: str = field(default=None, metadata={'of': 'text'})
    thread: int = field(default=None)
    size: Optional[int] = field(default=None)


@dataclass
class TimeSpanDiscards:
    """At `summary.time_span.discards`."""

    rows: List[DiscardsRow] = field(default=None, metadata={'of': 'DiscardsRow', 'depth': 1})
    total: Figures = field(default=None, metadata={'of': 'Figures'})


@dataclass
class User:
    """At `summary.time_span.distribution.user`."""

    path: str = field(default=None, metadata={'of': 'text'})
    threads: List[int] = field(default=None, metadata={'depth': 1})


@dataclass
class TimeSpanDistribution:
    """At `summary.time_span.distribution`."""

    ranges: List[Range] = field(default=None, metadata={'of': 'Range', 'depth': 1})
    users: List[User] = field(default=None, metadata={'of': 'User', 'depth': 1})


@dataclass
class Fine:
    """At `summary.time_span.fine`."""

    distinct_reads: int = field(default=None)
    distinct_total: int = field(default=None)
    distinct_writes: int = field(default=None)
    rows: List[Percentile] = field(default=None, metadata={'of': 'Percentile', 'depth': 1})


@dataclass
class TimeSpanFlushes:
    """At `summary.time_span.flushes`."""

    rows: List[DiscardsRow] = field(default=None, metadata={'of': 'DiscardsRow', 'depth': 1})
    total: Figures = field(default=None, metadata={'of': 'Figures'})


@dataclass
class IntegrityRow:
    """At `summary.time_span.integrity.row`."""

    path: str = field(default=None)
    results: Integrity = field(default=None, metadata={'of': 'Integrity'})
    target: int = field(default=None)


@dataclass
class TimeSpanIntegrity:
    """At `summary.time_span.integrity`."""

    rows: List[IntegrityRow] = field(default=None, metadata={'of': 'IntegrityRow', 'depth': 1})


@dataclass
class Percentiles:
    """At `percentiles`, and 1 more."""

    p50: float = field(default=None)
    p95: float = field(default=None)
    p99: float = field(default=None)
    p999: float = field(default=None)


@dataclass
class ReadLatency:
    """At `read.latency`, and 5 more."""

    max: float = field(default=None)
    mean: float = field(default=None)
    min: float = field(default=None)
    std_dev: float = field(default=None)


@dataclass
class StreamIntervalRead:
    """At `read`, and 5 more."""

    iops: float = field(default=None)  # I/Os per second
    ios: int = field(default=None)
    latency: Optional[ReadLatency] = field(default=None, metadata={'of': 'ReadLatency'})
    mib_per_s: Optional[float] = field(default=None)  # 2^20 bytes per second


@dataclass
class StreamIntervalResponse:
    """At `response`, and 1 more."""

    max: float = field(default=None)
    p50: float = field(default=None)
    p95: float = field(default=None)
    p99: float = field(default=None)
    p999: float = field(default=None)


@dataclass
class IopsInterval:
    """At `summary.time_span.iops.interval`."""

    end_ms: int = field(default=None)  # ms
    failed: int = field(default=None)
    read: StreamIntervalRead = field(default=None, metadata={'of': 'StreamIntervalRead'})
    total: StreamIntervalRead = field(default=None, metadata={'of': 'StreamIntervalRead'})
    write: StreamIntervalRead = field(default=None, metadata={'of': 'StreamIntervalRead'})
    partial_s: Optional[float] = field(default=None)  # s
    percentiles: Optional[Percentiles] = field(default=None, metadata={'of': 'Percentiles'})
    response: Optional[StreamIntervalResponse] = field(default=None, metadata={'of': 'StreamIntervalResponse'})
    started_at: Optional[int] = field(default=None)


@dataclass
class Iops:
    """At `summary.time_span.iops`."""

    intervals: List[IopsInterval] = field(default=None, metadata={'of': 'IopsInterval', 'depth': 1})
    reached: int = field(default=None)
    weighted_std_devs: Percentile = field(default=None, metadata={'of': 'Percentile'})
    read_std_dev: Optional[float] = field(default=None)
    total_std_dev: Optional[float] = field(default=None)
    write_std_dev: Optional[float] = field(default=None)


@dataclass
class All:
    """At `summary.time_span.latency.all`, and 3 more."""

    max: Percentile = field(default=None, metadata={'of': 'Percentile'})
    min: Percentile = field(default=None, metadata={'of': 'Percentile'})
    percentiles: List[Percentile] = field(default=None, metadata={'of': 'Percentile', 'depth': 1})


@dataclass
class LatencyPath:
    """At `summary.time_span.latency.path`."""

    chart: All = field(default=None, metadata={'of': 'All'})
    path: str = field(default=None, metadata={'of': 'text'})


@dataclass
class TimeSpanLatency:
    """At `summary.time_span.latency`."""

    all: All = field(default=None, metadata={'of': 'All'})
    paths: List[LatencyPath] = field(default=None, metadata={'of': 'LatencyPath', 'depth': 1})


@dataclass
class RowRead:
    """At `summary.time_span.nowait.row.read`, and 3 more."""

    ios: int = field(default=None)
    misses: int = field(default=None)
    percent: Optional[float] = field(default=None)  # percent


@dataclass
class NowaitRow:
    """At `summary.time_span.nowait.row`."""

    path: str = field(default=None)
    read: RowRead = field(default=None, metadata={'of': 'RowRead'})
    thread: int = field(default=None)
    write: RowRead = field(default=None, metadata={'of': 'RowRead'})


@dataclass
class NowaitTotal:
    """At `summary.time_span.nowait.total`."""

    read: RowRead = field(default=None, metadata={'of': 'RowRead'})
    write: RowRead = field(default=None, metadata={'of': 'RowRead'})


@dataclass
class Nowait:
    """At `summary.time_span.nowait`."""

    rows: List[NowaitRow] = field(default=None, metadata={'of': 'NowaitRow', 'depth': 1})
    total: NowaitTotal = field(default=None, metadata={'of': 'NowaitTotal'})


@dataclass
class ResponseRead:
    """At `summary.time_span.paced.service.read`, and 1 more."""

    mean: Optional[float] = field(default=None)
    std_dev: Optional[float] = field(default=None)


@dataclass
class ResponseTotal:
    """At `summary.time_span.paced.service.total`, and 1 more."""

    mean: Optional[float] = field(default=None)
    std_dev: Optional[float] = field(default=None)


@dataclass
class ResponseWrite:
    """At `summary.time_span.paced.service.write`, and 1 more."""

    mean: Optional[float] = field(default=None)
    std_dev: Optional[float] = field(default=None)


@dataclass
class Service:
    """At `summary.time_span.paced.service`, and 1 more."""

    chart: All = field(default=None, metadata={'of': 'All'})
    read: ResponseRead = field(default=None, metadata={'of': 'ResponseRead'})
    total: ResponseTotal = field(default=None, metadata={'of': 'ResponseTotal'})
    write: ResponseWrite = field(default=None, metadata={'of': 'ResponseWrite'})


@dataclass
class TimeSpanPaced:
    """At `summary.time_span.paced`."""

    iops: float = field(default=None)  # I/Os per second
    ios: int = field(default=None)
    late: int = field(default=None)
    offered_iops: float = field(default=None)  # I/Os per second
    overdue: int = field(default=None)
    later_than: Optional[List[int]] = field(default=None, metadata={'depth': 1})
    max_delay: Optional[float] = field(default=None)
    max_overdue: Optional[float] = field(default=None)
    mean_delay: Optional[float] = field(default=None)
    response: Optional[Service] = field(default=None, metadata={'of': 'Service'})
    service: Optional[Service] = field(default=None, metadata={'of': 'Service'})


@dataclass
class TimeSpanRead:
    """At `summary.time_span.read`."""

    rows: List[DiscardsRow] = field(default=None, metadata={'of': 'DiscardsRow', 'depth': 1})
    total: Figures = field(default=None, metadata={'of': 'Figures'})


@dataclass
class TimeSpanTotal:
    """At `summary.time_span.total`."""

    rows: List[DiscardsRow] = field(default=None, metadata={'of': 'DiscardsRow', 'depth': 1})
    total: Figures = field(default=None, metadata={'of': 'Figures'})


@dataclass
class Wait:
    """At `summary.time_span.wait`."""

    thread: int = field(default=None)
    waits: Waits = field(default=None, metadata={'of': 'Waits'})


@dataclass
class TimeSpanWrite:
    """At `summary.time_span.write`."""

    rows: List[DiscardsRow] = field(default=None, metadata={'of': 'DiscardsRow', 'depth': 1})
    total: Figures = field(default=None, metadata={'of': 'Figures'})


@dataclass
class WriteZeroes:
    """At `summary.time_span.write_zeroes`."""

    rows: List[DiscardsRow] = field(default=None, metadata={'of': 'DiscardsRow', 'depth': 1})
    total: Figures = field(default=None, metadata={'of': 'Figures'})


@dataclass
class SummaryTimeSpan:
    """At `summary.time_span`."""

    cpu: TimeSpanCpu = field(default=None, metadata={'of': 'TimeSpanCpu'})
    distributions: List[TimeSpanDistribution] = field(default=None, metadata={'of': 'TimeSpanDistribution', 'depth': 1})
    failed: int = field(default=None)
    floating_pool: bool = field(default=None)
    read: TimeSpanRead = field(default=None, metadata={'of': 'TimeSpanRead'})
    request_count: int = field(default=None)
    seconds: float = field(default=None)  # s
    thread_count: int = field(default=None)
    total: TimeSpanTotal = field(default=None, metadata={'of': 'TimeSpanTotal'})
    waits: List[Wait] = field(default=None, metadata={'of': 'Wait', 'depth': 1})
    write: TimeSpanWrite = field(default=None, metadata={'of': 'TimeSpanWrite'})
    discards: Optional[TimeSpanDiscards] = field(default=None, metadata={'of': 'TimeSpanDiscards'})
    fine: Optional[Fine] = field(default=None, metadata={'of': 'Fine'})
    flushes: Optional[TimeSpanFlushes] = field(default=None, metadata={'of': 'TimeSpanFlushes'})
    integrity: Optional[TimeSpanIntegrity] = field(default=None, metadata={'of': 'TimeSpanIntegrity'})
    iops: Optional[Iops] = field(default=None, metadata={'of': 'Iops'})
    latency: Optional[TimeSpanLatency] = field(default=None, metadata={'of': 'TimeSpanLatency'})
    nowait: Optional[Nowait] = field(default=None, metadata={'of': 'Nowait'})
    paced: Optional[TimeSpanPaced] = field(default=None, metadata={'of': 'TimeSpanPaced'})
    parts: Optional[Dict[str, str]] = field(default=None)
    trace: Optional[Trace] = field(default=None, metadata={'of': 'Trace'})
    write_zeroes: Optional[WriteZeroes] = field(default=None, metadata={'of': 'WriteZeroes'})


@dataclass
class Totals:
    """At `summary.totals`."""

    read: Total = field(default=None, metadata={'of': 'Total'})
    seconds: float = field(default=None)  # s
    total: Total = field(default=None, metadata={'of': 'Total'})
    write: Total = field(default=None, metadata={'of': 'Total'})


@dataclass
class RecordSummary:
    """At `summary`."""

    time_spans: List[SummaryTimeSpan] = field(default=None, metadata={'of': 'SummaryTimeSpan', 'depth': 1})
    totals: Optional[Totals] = field(default=None, metadata={'of': 'Totals'})


@dataclass
class Alignment:
    """At `whole.alignment`."""

    common_ns: int = field(default=None)  # ns
    intervals_apart_ns: int = field(default=None)  # ns
    start_skew_ns: int = field(default=None)  # ns
    stop_skew_ns: int = field(default=None)  # ns
    clock_uncertainty_ns: Optional[int] = field(default=None)  # ns
    cut: Optional[bool] = field(default=None)
    shifted: Optional[bool] = field(default=None)


@dataclass
class Whole:
    """At `whole`."""

    alignments: List[Alignment] = field(default=None, metadata={'of': 'Alignment', 'depth': 1})
    asked: Profile = field(default=None, metadata={'of': 'Profile'})
    host: Host = field(default=None, metadata={'of': 'Host'})


@dataclass
class Record:
    """At the document."""

    format: Format = field(default=None, metadata={'of': 'Format'})
    hosts: List[Host] = field(default=None, metadata={'of': 'Host', 'depth': 1})
    index: Index = field(default=None, metadata={'of': 'Index'})
    judgement: Judgement = field(default=None, metadata={'of': 'Judgement'})
    profile: Profile = field(default=None, metadata={'of': 'Profile'})
    summary: RecordSummary = field(default=None, metadata={'of': 'RecordSummary'})
    method: Optional[Method] = field(default=None, metadata={'of': 'Method'})
    preconditioning: Optional[Preconditioning] = field(default=None, metadata={'of': 'Preconditioning'})
    whole: Optional[Whole] = field(default=None, metadata={'of': 'Whole'})


@dataclass
class StreamInterval:
    """At the document."""

    end_ms: int = field(default=None)  # ms
    missed: int = field(default=None)
    read: StreamIntervalRead = field(default=None, metadata={'of': 'StreamIntervalRead'})
    started_at: int = field(default=None)
    time_span: int = field(default=None)
    total: StreamIntervalRead = field(default=None, metadata={'of': 'StreamIntervalRead'})
    write: StreamIntervalRead = field(default=None, metadata={'of': 'StreamIntervalRead'})
    partial_s: Optional[float] = field(default=None)  # s
    percentiles: Optional[Percentiles] = field(default=None, metadata={'of': 'Percentiles'})
    response: Optional[StreamIntervalResponse] = field(default=None, metadata={'of': 'StreamIntervalResponse'})
