"""From plain JSON to dataclasses."""

from __future__ import annotations

from dataclasses import fields
from functools import lru_cache
from typing import Any

from . import schema


class FormatError(ValueError):
    """What was read is not what it should be: no record, a newer one, or damaged."""


@lru_cache(maxsize=None)
def _known(name: str):
    cls = getattr(schema, name)
    return cls, [(one.name, one.metadata.get("key", one.name), one.metadata.get("of"), one.metadata.get("depth", 0))
                 for one in fields(cls)]


def made(name: str, value: Any, at: str = "") -> Any:
    """An object of the class of this name. Fields that aren't known are ignored, those that are missing are None."""
    if value is None:
        return None
    cls, known = _known(name)
    if not isinstance(value, dict):
        if isinstance(value, (str, int, float)):
            # A kind that has nothing to tell is its name alone.
            return value
        raise FormatError(f"{at or 'the document'}: an object was expected, not {type(value).__name__}")
    arguments = {}
    for attribute, key, of, depth in known:
        if key in value:
            arguments[attribute] = _value(value[key], of, depth, f"{at}.{key}" if at else key)
    return cls(**arguments)


def _value(value: Any, of, depth: int, at: str) -> Any:
    if value is None or of is None:
        return value
    if depth:
        if not isinstance(value, list):
            raise FormatError(f"{at}: a list was expected, not {type(value).__name__}")
        return [_value(one, of, depth - 1, f"{at}[{place}]") for place, one in enumerate(value)]
    return text(value, at) if of == "text" else made(of, value, at)


def text(value: Any, at: str = "") -> str:
    """A text: a string, or an object of bytes where it isn't UTF-8. Such bytes become what `os.fsdecode` makes of them."""
    if isinstance(value, str):
        return value
    try:
        return bytes(value["bytes"]).decode("utf-8", "surrogateescape")
    except (TypeError, KeyError, ValueError):
        raise FormatError(f"{at or 'the document'}: a text was expected") from None
