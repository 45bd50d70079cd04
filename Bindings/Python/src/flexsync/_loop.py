# SPDX-License-Identifier: Apache-2.0
"""Runs the event loop of an app in an asyncio loop. Nothing here is API."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from concurrent.futures import Future
from typing import Any, Optional

from ._library import call, ffi, lib, settle
from .enumerations import Status
from .errors import error_with


class LoopDriver:
    """Pumps an app in the poll mode whenever its descriptor is readable or a timer is due, on the thread of asyncio."""

    def __init__(self, app: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._app = app
        self._loop = loop
        self._timer: Optional[asyncio.TimerHandle] = None
        self._expected: "set[Future]" = set()
        self._next = ffi.new("int64_t *")
        self._descriptor = lib.flx_app_poll_descriptor(app)
        self._thread = threading.get_ident()
        loop.add_reader(self._descriptor, self._pump)
        loop.call_soon(self._pump)

    def _pump(self) -> None:
        if self._app is None:
            return
        call(lib.flx_app_pump, self._app, self._next)
        if self._timer:
            self._timer.cancel()
        due = self._next[0]
        self._timer = None if due < 0 else self._loop.call_later(due / 1000, self._pump)

    def check_may_wait(self) -> None:
        """Raises RuntimeError where waiting would keep the loop from doing what is waited for."""
        if self._app is not None and threading.get_ident() == self._thread:
            raise RuntimeError("this waits for the event loop on the thread of the event loop; use the form with 'await'")

    def expect(self, future: Future) -> None:
        """Makes the end of the driver the end of what nothing would finish any more."""
        if self._app is None:
            self._abandon(future)
            return
        self._expected.add(future)
        future.add_done_callback(self._expected.discard)

    @staticmethod
    def _abandon(future: Future) -> None:
        words = "The app was closed before this was done. Close an app with an asyncio loop when nothing waits for it any more."
        settle(future, error=error_with(Status.CANCELED, words))

    def close(self) -> None:
        """Stops pumping. Any thread."""
        if threading.get_ident() == self._thread:
            self._end()
        else:
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._end)

    def _end(self) -> None:
        if self._app is None:
            return
        self._app = None
        for future in list(self._expected):
            self._abandon(future)
        if self._timer:
            self._timer.cancel()
        if not self._loop.is_closed():
            self._loop.remove_reader(self._descriptor)
