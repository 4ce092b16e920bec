"""How far Spark is, as a line on a terminal."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark import SparkContext
    from typing_extensions import Self


class Progress:
    """Shows the tasks of all stages that run, while the block runs. On a pipe it shows nothing."""

    def __init__(self, context: SparkContext, quiet: bool = False) -> None:
        self._tracker = context.statusTracker()
        self._done = threading.Event()
        self._thread: threading.Thread | None = None
        self._shows = not quiet and sys.stderr.isatty()

    def __enter__(self) -> Self:
        if self._shows:
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        if self._thread is not None:
            self._thread.join()
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def _run(self) -> None:
        while not self._done.wait(0.5):
            line = self.line()
            if line:
                print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)

    def line(self) -> str:
        """Such as ``stage 3: 12 of 80 tasks done, 4 running``; nothing where nothing runs."""
        parts = []
        for stage in self._tracker.getActiveStageIds():
            info = self._tracker.getStageInfo(stage)
            if info is not None:
                running = info.numActiveTasks
                done = f"{info.numCompletedTasks} of {info.numTasks} tasks done"
                parts.append(f"stage {stage}: {done}, {running} running")
        return "; ".join(parts)
