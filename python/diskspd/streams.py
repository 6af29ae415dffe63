"""Streams (`--stream`): a line of JSON for each interval, while the run goes on or afterwards."""

from __future__ import annotations

import json
import os
from typing import IO, Any, Dict, Iterable, Iterator, List, Union

from ._plain import FormatError, made
from .runs import _pandas, interval_rows
from .schema import StreamInterval


def stream(source: Union[str, os.PathLike, IO, Iterable[str]]) -> Iterator[StreamInterval]:
    """The intervals of a file, or of an open one (a pipe from `diskspd --stream -`), as they come.

    An empty line ends it: behind it standard output has the report. A last line that isn't whole is left out.
    """
    if isinstance(source, (str, os.PathLike)):
        with open(source, encoding="utf-8") as file:
            yield from stream(file)
        return
    for number, line in enumerate(source, 1):
        if isinstance(line, bytes):
            line = line.decode("utf-8", "replace")
        if not line.strip():
            return
        try:
            value = json.loads(line)
        except ValueError as error:
            if not line.endswith("\n"):
                return
            raise FormatError(f"line {number} of the stream: {error}") from None
        if not isinstance(value, dict) or "end_ms" not in value:
            raise FormatError(f"line {number} is no interval of --stream")
        yield made("StreamInterval", value, f"line {number}")


def stream_rows(intervals: Iterable[StreamInterval]) -> List[Dict[str, Any]]:
    """The rows of a table: for each interval those of reads, of writes, and of both."""
    return [row for interval in intervals for row in interval_rows(interval, interval.time_span)]


def stream_to_pandas(source: Union[str, os.PathLike, IO, Iterable[str]]):
    """A DataFrame of a whole stream; `began` is when each interval began (UTC)."""
    pandas = _pandas()
    frame = pandas.DataFrame(stream_rows(stream(source)))
    if "interval_began_ms" in frame:
        frame["began"] = pandas.to_datetime(frame["interval_began_ms"], unit="ms", utc=True)
    return frame
