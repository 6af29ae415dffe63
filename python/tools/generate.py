#!/usr/bin/env python3
"""Makes diskspd/schema.py: a dataclass for each kind of object in the JSON schemas of records and of streams.

    python3 tools/generate.py            writes it
    python3 tools/generate.py --check    says whether it is up to date; exit code 1 if it isn't
"""

import json
import keyword
import sys
from pathlib import Path

PYTHON = Path(__file__).resolve().parent.parent
SCHEMAS = [("record.schema.json", "Record"), ("stream.schema.json", "StreamInterval")]
OUT = PYTHON / "diskspd" / "schema.py"

HEAD = '''"""What records and streams hold, as dataclasses.

Made by tools/generate.py of docs/reference/record.schema.json and docs/reference/stream.schema.json: change those, not this. What each
field means is in docs/reference/record-fields.md. A field is None if the program that wrote the document did not have it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Union

'''

# What the names of figures say about their units: the end of a name, or all of it.
UNITS = [
    ("_ns", "ns"), ("_us", "us"), ("_ms", "ms"), ("_s", "s"), ("seconds", "s"),
    ("mib_per_s", "2^20 bytes per second"), ("per_s", "per second"), ("bytes", "bytes"), ("iops", "I/Os per second"),
    ("iops_std_dev", "I/Os per second"), ("percent", "percent"), ("block_size", "bytes"), ("utc_ns", "ns since 1970, UTC"),
]


def unit(name: str) -> str:
    """The unit that a field's name tells; empty = none."""
    longest = [(len(end), text) for end, text in UNITS if name.endswith(end)]
    return max(longest)[1] if longest else ""


def camel(name: str) -> str:
    """`time_span` as the name of a class."""
    return name if name[:1].isupper() else "".join(part.capitalize() for part in name.split("_"))


def singular(name: str) -> str:
    """One of what a list is called by."""
    irregular = {"latencies": "latency", "series": "series", "switches": "switch"}
    if name in irregular:
        return irregular[name]
    if name.endswith("ies"):
        return name[:-3] + "y"
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else name


class Node:
    """An object of a schema: its fields, where it stands, and the objects that its fields hold."""

    def __init__(self, schema: dict, path: tuple):
        self.fields = schema["properties"]
        self.path = path
        self.children = {}
        self.same_as = self

    def kind(self) -> "Node":
        """The first of all that are of one class."""
        node = self
        while node.same_as is not node:
            node = node.same_as
        return node


class Classes:
    """Objects that are alike are of one class: those with the same fields, those of one name that lack some of the
    other's, and those that the same field holds at places that belong to one class."""

    def __init__(self):
        self.nodes = []

    def add(self, schema: dict, path: tuple) -> Node:
        """An object and all within it."""
        node = Node(schema, path)
        self.nodes.append(node)
        for name, kind in sorted(schema["properties"].items()):
            inner, word = kind, name
            while inner.get("items"):
                inner, word = inner["items"], singular(name)
            if inner.get("properties") and not is_text(inner):
                node.children[name] = self.add(inner, path + (word,))
        return node

    def unite(self):
        """Finds out which are of one class."""
        for one in self.nodes:
            for other in self.nodes:
                if one.path[-1] == other.path[-1] and len(one.fields) > 2 and set(one.fields) <= set(other.fields):
                    self.same(other, one)
        changed = True
        while changed:
            changed = False
            by_fields, by_place = {}, {}
            for node in self.nodes:
                for known, key in ((by_fields, (node.path[-1], tuple(sorted(node.fields)))),
                                   (by_fields, tuple(sorted(node.fields)) if len(node.fields) > 2 else id(node))):
                    changed |= self.same(known.setdefault(key, node), node)
                for name, child in node.children.items():
                    changed |= self.same(by_place.setdefault((id(node.kind()), name), child), child)

    @staticmethod
    def same(one: Node, other: Node) -> bool:
        one, other = one.kind(), other.kind()
        if one is other:
            return False
        other.same_as = one
        return True

    def text(self) -> str:
        """All classes, those first that others hold."""
        self.unite()
        members = {}
        for node in self.nodes:
            members.setdefault(id(node.kind()), []).append(node)
        self.names, taken = {}, set()
        for key, nodes in members.items():
            self.names[key] = self.free_name([node.path for node in nodes], taken)
        done, texts = set(), []
        for node in self.nodes:
            self.write(node.kind(), members, done, texts)
        return "\n\n\n".join(texts) + "\n"

    @staticmethod
    def free_name(paths: list, taken: set) -> str:
        """The shortest name that no other class has: the field, and before it the fields that hold it."""
        for count in range(1, max(map(len, paths)) + 1):
            for path in sorted(paths, key=len):
                name = "".join(camel(word) for word in path[-count:])
                if name not in taken and name not in ("Any", "Dict", "List", "Optional", "Union"):
                    taken.add(name)
                    return name
        raise ValueError(f"no name for {paths}")

    def write(self, node: Node, members: dict, done: set, texts: list):
        if id(node) in done:
            return
        done.add(id(node))
        alike = members[id(node)]
        for one in alike:
            for child in one.children.values():
                self.write(child.kind(), members, done, texts)
        body = []
        for name in sorted({name for one in alike for name in one.fields}):
            kinds = [one.fields[name] for one in alike if name in one.fields]
            child = next((one.children[name] for one in alike if name in one.children), None)
            hint, of, depth = self.hint(kinds, child)
            hint = hint if hint == "Any" else f"Optional[{hint}]"
            attribute = name + "_" if keyword.iskeyword(name) else name
            metadata = {key: value for key, value in
                        {"key": name if attribute != name else None, "of": of, "depth": depth}.items() if value}
            value = f"field(default=None, metadata={metadata!r})" if metadata else "None"
            tail = f"  # {unit(name)}" if unit(name) and not of else ""
            body.append(f"    {attribute}: {hint} = {value}{tail}")
        places = sorted({("`" + ".".join(one.path[1:]) + "`" if one.path[1:] else "the document") for one in alike}, key=lambda place: (len(place), place))
        more = f", and {len(places) - 1} more" if len(places) > 1 else ""
        name = self.names[id(node)]
        texts.append(f'@dataclass\nclass {name}:\n    """At {places[0]}{more}."""\n\n' + "\n".join(body))

    def hint(self, kinds: list, child):
        """Type hint of a field, what objects in it are read as, and how deep in lists they are."""
        all_types = set().union(*map(types, kinds)) - {"null"}
        if "array" in all_types:
            hint, of, depth = self.hint([kind["items"] for kind in kinds if kind.get("items")] or [{}], child)
            return f"List[{hint}]", of, depth + 1
        if any(is_text(kind) for kind in kinds):
            return "str", "text", 0
        if child is not None:
            name = self.names[id(child.kind())]
            return (name if all_types == {"object"} else f"Union[{name}, str]"), name, 0
        if "object" in all_types:
            values = [kind["additionalProperties"] for kind in kinds if kind.get("additionalProperties")]
            return f"Dict[str, {self.hint(values, None)[0]}]" if values else "Dict[str, Any]", None, 0
        plain = {"integer": "int", "number": "float", "string": "str", "boolean": "bool"}
        hints = sorted({plain[kind] for kind in all_types})
        if "float" in hints and "int" in hints:
            hints.remove("int")
        return ("Any" if not hints else hints[0] if len(hints) == 1 else f"Union[{', '.join(hints)}]"), None, 0


def is_text(schema: dict) -> bool:
    """Whether it is a text that need not be UTF-8: a string, or an object of bytes."""
    return set(schema.get("properties", {})) == {"bytes"} and "string" in types(schema)


def types(schema: dict) -> set:
    kinds = schema.get("type", [])
    return {kinds} if isinstance(kinds, str) else set(kinds)


def generated() -> str:
    # In a packed copy of the package the schemas aren't there.
    docs = PYTHON.parent / "docs" / "reference"
    classes = Classes()
    for file, name in SCHEMAS:
        classes.add(json.loads((docs / file).read_text(encoding="utf-8")), (name,))
    return HEAD + "\n" + classes.text()


def main() -> int:
    text = generated()
    if "--check" in sys.argv[1:]:
        if OUT.read_text(encoding="utf-8") == text:
            return 0
        print(f"{OUT} isn't what the schemas say: python3 {__file__}", file=sys.stderr)
        return 1
    OUT.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
