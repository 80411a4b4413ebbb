"""Ctrl-C while the library computes."""
from __future__ import annotations

import contextlib
import signal
import threading
from typing import Any, Iterator


@contextlib.contextmanager
def interrupts() -> Iterator[list[int] | None]:
    """While the library computes, Ctrl-C is noted in a list, which the functions that it calls test; they end
    the computation, and then KeyboardInterrupt is raised. A second Ctrl-C is raised in such a function
    itself. None: this is not the main thread, or Ctrl-C does something else."""
    if (threading.current_thread() is not threading.main_thread()
            or signal.getsignal(signal.SIGINT) is not signal.default_int_handler):
        yield None
        return
    noted: list[int] = []

    def note(number: int, frame: Any) -> None:
        noted.append(number)
        if len(noted) > 1:
            signal.default_int_handler(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield noted
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if noted:
        raise KeyboardInterrupt
