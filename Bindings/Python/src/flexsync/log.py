# SPDX-License-Identifier: Apache-2.0
"""The log of the library, and its version."""

from __future__ import annotations

from typing import Any, Callable, Optional

from ._library import callback, ffi, lib, string_of
from .enumerations import LogLevel


def set_logger(threshold: LogLevel, function: Optional[Callable[[LogLevel, str], None]] = None) -> None:
    """Sends the log of the process to a function; without one, to standard error. The function may be called on any thread."""
    handler = None
    if function is not None:
        given = function

        def handler(level: int, message: Any) -> None:
            given(LogLevel(level), string_of(message))

    lib.flx_set_logger(threshold, *callback("log_callback", handler))


def version() -> str:
    """The version of the loaded library, such as "0.1.0"."""
    return ffi.string(lib.flx_version()).decode()
