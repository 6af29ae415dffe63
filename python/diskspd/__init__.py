"""Runs DiskSpd for Linux, and reads its records (`--out run.json`), history (`--save`) and streams (`--stream`).

    import diskspd
    diskspd.read("run.json").to_pandas()
    diskspd.History().to_pandas()
    diskspd.run("-c1G -b4K -r -Su -L -d10", target="test.dat").to_pandas()
    for interval in diskspd.stream(open("run.jsonl")): print(interval.total.iops)
"""

from ._plain import FormatError
from .answers import Answer, Comparison, Repetition, Sweep
from .histograms import Latencies
from .history import History, default_folder
from .programs import RunError, repeat, run, sweep
from .runs import VERSION, Figures, Run, Runs, read, read_all, read_index
from .schema import Record, StreamInterval
from .streams import stream, stream_rows, stream_to_pandas

__all__ = [
    "Answer", "Comparison", "Figures", "FormatError", "History", "Latencies", "Record", "Repetition", "Run",
    "RunError", "Runs", "StreamInterval", "Sweep", "VERSION", "default_folder", "read", "read_all", "read_index",
    "repeat", "run", "stream", "stream_rows", "stream_to_pandas", "sweep",
]
