"""Latency histograms: unpacked from records, added up, asked for percentiles."""

from __future__ import annotations

import base64
import binascii
from typing import Any, Dict, Iterator, List, Optional, Tuple

from ._plain import FormatError

#: The last bucket, which holds everything from 18 minutes on.
LAST = 16383


def bounds(bucket: int) -> Tuple[int, int]:
    """The shortest and the longest latency of a bucket, ns. At most 0.2 % apart."""
    if bucket < 1024:
        return bucket, bucket
    shift = bucket // 512 - 1
    first = (bucket - 512 * shift) << shift
    return first, first + (1 << shift) - 1


def numbers(packed: str) -> Iterator[int]:
    """Numbers of seven bits a byte, the lowest first; the eighth bit is set in all bytes of a number but the last."""
    try:
        content = base64.b64decode(packed, validate=True)
    except (binascii.Error, ValueError, TypeError) as error:
        raise FormatError(f"packed numbers are not base64: {error}") from None
    value = shift = 0
    for byte in content:
        value |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            yield value
            value = shift = 0
        elif shift > 70:
            raise FormatError("a packed number has more than 64 bits")
    if shift:
        raise FormatError("packed numbers are cut off")


class Latencies:
    """Latencies in ns, by bucket. Minimum, maximum, count and sum are exact."""

    def __init__(self):
        self.counts: Dict[int, int] = {}
        self.count = 0
        #: ns
        self.sum = 0
        self.min: Optional[int] = None
        self.max: Optional[int] = None

    @classmethod
    def unpacked(cls, stored: Any) -> "Latencies":
        """That of a record's histogram: `moments` and `packed`."""
        latencies = cls()
        moments = stored.moments
        if moments is None or not moments.count:
            return latencies
        latencies.count, latencies.min, latencies.max = moments.count, moments.min, moments.max
        latencies.sum = int(moments.sum)
        bucket, both = 0, numbers(stored.packed)
        for distance in both:
            count = next(both, None)
            bucket += distance
            if count is None or bucket > LAST:
                raise FormatError("a histogram is damaged")
            latencies.counts[bucket] = latencies.counts.get(bucket, 0) + count
            bucket += 1
        if sum(latencies.counts.values()) != latencies.count:
            raise FormatError("a histogram's buckets don't add up to its count")
        return latencies

    def add(self, other: "Latencies") -> None:
        """Adds all that another one holds."""
        for bucket, count in other.counts.items():
            self.counts[bucket] = self.counts.get(bucket, 0) + count
        self.count += other.count
        self.sum += other.sum
        self.min = other.min if self.min is None else self.min if other.min is None else min(self.min, other.min)
        self.max = other.max if self.max is None else self.max if other.max is None else max(self.max, other.max)

    @property
    def mean(self) -> Optional[float]:
        """Arithmetic mean, ns; None = empty."""
        return self.sum / self.count if self.count else None

    def percentile(self, percent: float) -> Optional[int]:
        """The latency, ns, that so many percent did not exceed: at most 0.1 % off; None = empty."""
        if not self.count or self.min is None or self.max is None:
            return None
        if percent <= 0:
            return self.min
        wanted, cumulated = percent / 100 * self.count, 0
        for bucket in sorted(self.counts):
            cumulated += self.counts[bucket]
            if percent < 100 and cumulated >= wanted:
                if bucket == LAST:
                    return self.max
                first, last = bounds(bucket)
                return min(max(first + (last - first) // 2, self.min), self.max)
        return self.max

    def buckets(self) -> List[Tuple[int, int, int]]:
        """Shortest and longest latency of each bucket that isn't empty, ns, and how many it holds."""
        return [(*bounds(bucket), self.counts[bucket]) for bucket in sorted(self.counts)]
