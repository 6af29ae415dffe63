"""The history (`--save`): a folder of compressed records, and what people said about them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Dict, Iterable, List, Optional, Union

from ._plain import FormatError
from .runs import Run, Runs, read_index


def default_folder() -> Path:
    """Where the program keeps runs: `DISKSPD_STORE`, else `$XDG_DATA_HOME/diskspd`, else `~/.local/share/diskspd`."""
    own = os.environ.get("DISKSPD_STORE")
    if own:
        return Path(own)
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "diskspd"


class History:
    """The runs of a folder. The files are the truth: nothing is read of the index beside them, nothing is written."""

    def __init__(self, folder: Optional[Union[str, os.PathLike]] = None):
        self.folder = Path(folder) if folder is not None else default_folder()
        #: Files of the last `runs` that are no records (imported results, damaged ones), and why.
        self.left_out: Dict[str, str] = {}

    def runs(self, label: Optional[str] = None, tags: Iterable[str] = (), target: Optional[str] = None,
             last: Optional[int] = None) -> Runs:
        """The runs in the order in which they began: of a label, with all of these tags, with a target whose path
        holds this text, the latest so many."""
        self.left_out = {}
        found: List[Run] = []
        wanted = set(tags)
        folder = self.folder / "runs"
        for path in sorted(folder.iterdir()) if folder.is_dir() else []:
            kind = path.name.partition(".")[2]
            if not path.name[:1].isalpha() or kind == "about.json":
                continue
            if kind != "json.gz":
                self.left_out[path.name] = "the result of another program: diskspd report reads it"
                continue
            about = self._about(path)
            if label is not None and about.get("label") != label or not wanted <= set(about.get("tags") or []):
                continue
            try:
                run = read_index(path)
            except (FormatError, OSError) as error:
                self.left_out[path.name] = str(error)
                continue
            run.about = about
            if target is None or any(target in row.targets for row in run.figures()):
                found.append(run)
        found.sort(key=lambda run: (run.index.started_at or 0, run.about.get("saved_at") or 0))
        return Runs(found[-last:] if last else found)

    def run(self, name: str) -> Run:
        """A run by its id or the beginning of it, or the latest of a label; with or without the @."""
        name = name[1:] if name.startswith("@") else name
        of_label = self.runs(label=name)
        if of_label:
            return of_label[-1]
        beginning = [run for run in self.runs() if (run.id or "").startswith(name)]
        if len(beginning) == 1:
            return beginning[0]
        why = "several begin so" if beginning else "there is no such run"
        raise KeyError(f"{name} in {self.folder}: {why}")

    def to_pandas(self, what: str = "figures", **filters: Any):
        """A DataFrame of all runs, or of those that `runs` finds by these filters."""
        return self.runs(**filters).to_pandas(what)

    @staticmethod
    def _about(path: Path) -> Dict[str, Any]:
        beside = path.with_name(path.name.split(".")[0] + ".about.json")
        try:
            about = json.loads(beside.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            about = {}
        # Whatever else it is: the run is one of the history.
        return {"label": None, **(about if isinstance(about, dict) else {})}
