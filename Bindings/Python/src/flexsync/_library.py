# SPDX-License-Identifier: Apache-2.0
"""Calling the library: errors, text, handles, callbacks, and the end of the interpreter. Nothing here is API."""

from __future__ import annotations

import asyncio
import atexit
import math
import os
import sys
import threading
import traceback
from concurrent.futures import Future, InvalidStateError
from typing import Any, Callable, Optional

from ._raw import ffi, lib
from .errors import FlexSyncError, error_with

# Libraries of one name have one binary interface, to which newer ones add functions.
_BUILT_FOR = (lib.FLX_VERSION_MAJOR, lib.FLX_VERSION_MINOR)
_LOADED = (lib.flx_version_number() // 1_000_000, lib.flx_version_number() // 1000 % 1000)
if _LOADED < _BUILT_FOR:
    raise ImportError(f"flexsync needs libflexsync {_BUILT_FOR[0]}.{_BUILT_FOR[1]} or newer, not {_LOADED[0]}.{_LOADED[1]}")

NULL = ffi.NULL
#: How long the end of the interpreter waits for a callback that is running, in ms.
_PATIENCE = 2000


class _Scratch(threading.local):
    """Memory for results of the calls of this thread; whatever is in it is copied before the next call."""

    def __init__(self) -> None:
        self.error = ffi.new("flx_error_t *")
        self.value = ffi.new("flx_value_t *")
        self.size = ffi.new("size_t *")
        self.flag = ffi.new("bool *")


scratch = _Scratch()
#: What Ctrl-C has raised in functions that the library calls; on the main thread only.
_interrupts: "list[BaseException]" = []


# ---- errors ----


def error_of(error: Any) -> FlexSyncError:
    """The exception for a `flx_error_t *`."""
    fields = (error.message, error.server_code, error.server_log_url)
    message, server_code, url = (ffi.string(field).decode("utf-8", "replace") for field in fields)
    return error_with(error.status, message, error.code, server_code, url)


def call(function: Callable[..., int], *arguments: Any) -> None:
    """Calls a function with a status, and raises its error."""
    error = scratch.error
    failed = function(*arguments, error)
    if _interrupts and threading.current_thread() is threading.main_thread():
        raise _interrupts.pop()
    if failed:
        raise error_of(error)


def call_size(function: Callable[..., int], *arguments: Any) -> int:
    """Calls a function whose last result is a `size_t *`."""
    call(function, *arguments, scratch.size)
    return scratch.size[0]


def call_flag(function: Callable[..., int], *arguments: Any) -> bool:
    """Calls a function whose last result is a `bool *`."""
    call(function, *arguments, scratch.flag)
    return scratch.flag[0]


# ---- text ----


def text(string: "str | bytes") -> tuple:
    """A `flx_string_t` of a string, for the duration of a call."""
    if isinstance(string, str):
        try:
            data = string.encode()
        except UnicodeEncodeError as error:
            found = f"{string[error.start]!a} at {error.start}"
            raise ValueError(f"a text has a lone surrogate, {found}, which UTF-8 cannot express") from None
    elif isinstance(string, bytes):
        data = string
    else:
        raise TypeError(f"expected str, not {type(string).__name__}")
    return ffi.from_buffer(data), len(data)


def texts(strings: "list[str]") -> tuple:
    """An array of `flx_string_t`, its count, and what must stay alive during the call."""
    kept = [text(one) for one in strings]
    return ffi.new("flx_string_t[]", kept), len(kept), kept


def new_text(string: "str | None") -> Any:
    """A `flx_string_t *` with what keeps it alive, or NULL for None. Pass the first element."""
    if string is None:
        return NULL, None
    kept = text(string)
    return ffi.new("flx_string_t *", kept), kept


def bytes_of(string: Any) -> bytes:
    return ffi.unpack(string.data, string.size) if string.size else b""


def string_of(string: Any) -> str:
    return bytes_of(string).decode("utf-8", "replace")


def freed_text(pointer: Any) -> Optional[str]:
    """The text of a function whose result is freed with `flx_free`, or None for NULL."""
    if pointer == NULL:
        return None
    result = ffi.string(pointer).decode("utf-8", "replace")
    lib.flx_free(pointer)
    return result


# ---- handles ----


def own(kind: str, pointer: Any) -> Any:
    """A handle that is released with the last reference to it; None for NULL."""
    if pointer == NULL:
        return None
    return ffi.gc(pointer, getattr(lib, "flexsync_drop_" + kind))


def own_result(kind: str, function: Callable[..., int], *arguments: Any) -> Any:
    """Calls a function whose last result is a handle."""
    out = ffi.new(f"flx_{kind}_t **")
    call(function, *arguments, out)
    return own(kind, out[0])


# ---- callbacks ----

_kept: "dict[int, Any]" = {}
FREE = ffi.addressof(lib, "flexsync_call_free_userdata")


def userdata(function: Callable[..., Any]) -> Any:
    """Userdata that stands for a function, which it keeps alive until the library frees it."""
    handle = ffi.new_handle(function)
    _kept[int(ffi.cast("uintptr_t", handle))] = handle
    return handle


def callback(kind: str, function: Optional[Callable[..., Any]]) -> tuple:
    """The three arguments of a callback of the type `flx_<kind>_t`: callback, userdata, and what frees it."""
    if function is None:
        return NULL, NULL, NULL
    return ffi.addressof(lib, "flexsync_call_" + kind), userdata(require_function(function)), FREE


def require_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that the program has given. Raises TypeError for anything else."""
    if not callable(function):
        raise TypeError(f"expected a function, not {type(function).__name__}")
    return function


@ffi.def_extern()
def flexsync_on_free_userdata(userdata: Any) -> None:
    _kept.pop(int(ffi.cast("uintptr_t", userdata)), None)


def _report(kind: Any, error: Any, trace: Any) -> None:
    """Reports what a function of the program has raised, which cannot pass through the library.

    Ctrl-C must not get lost: the call of the library under way raises it when it returns.
    """
    if issubclass(kind, KeyboardInterrupt):
        _interrupts.append(error)
        return
    print("A function that FlexSync has called raised an exception, which is ignored:", file=sys.stderr)
    traceback.print_exception(kind, error, trace)


def _define_handlers() -> None:
    def handler(userdata: Any, *arguments: Any) -> Any:
        return ffi.from_handle(userdata)(*arguments)

    prefix = "flexsync_call_"
    for name in dir(lib):
        if name.startswith(prefix) and name != prefix + "free_userdata":
            ffi.def_extern(name="flexsync_on_" + name[len(prefix):], onerror=_report)(handler)


_define_handlers()
atexit.register(lib.flexsync_close, _PATIENCE)
os.register_at_fork(after_in_child=lib.flexsync_forked)


# ---- arguments ----


def require(kind: Any, value: Any, words: str) -> Any:
    """An argument of a kind, of which `words` tell. Raises TypeError for anything else."""
    if not isinstance(value, kind):
        raise TypeError(f"expected {words}, not {type(value).__name__}")
    return value


def require_count(value: Any, words: str) -> int:
    """A number from 0 on, of which `words` tell. Raises TypeError or ValueError for anything else."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"expected {words} to be an int, not {type(value).__name__}")
    if not 0 <= value < 2**63:
        raise ValueError(f"expected {words} to be from 0 on and less than 2^63, not {value}")
    return value


# ---- operations in the background ----


def settle(future: Future, result: Any = None, error: Optional[BaseException] = None) -> None:
    """Ends a future, unless it was canceled."""
    try:
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)
    except InvalidStateError:
        pass


def completion(future: Future, result: Callable[[], Any] = lambda: None) -> tuple:
    """The three arguments of a `flx_completion_t` that ends a future."""

    def finish(error: Any) -> None:
        if error == NULL:
            settle_with(future, result)
        else:
            settle(future, error=error_of(error))

    return callback("completion", finish)


def settle_with(future: Future, result: Callable[[], Any]) -> None:
    """Ends a future with what a function returns or raises."""
    try:
        settle(future, result())
    except Exception as error:
        settle(future, error=error)


def started(function: Callable[..., Any], *arguments: Any, result: Callable[[], Any] = lambda: None) -> Future:
    """Starts an operation whose last arguments are those of a `flx_completion_t`."""
    future: Future = Future()
    function(*arguments, *completion(future, result))
    return future


def wait(future: Future, driver: Any = None) -> Any:
    """Waits on this thread for the end of an operation. Ctrl-C interrupts the wait, not the operation."""
    if driver is not None:
        driver.check_may_wait()
    return future.result()


async def finished(future: Future, driver: Any = None) -> Any:
    """Waits in asyncio for the end of an operation, or of what drives it."""
    if driver is not None:
        driver.expect(future)
    return await asyncio.wrap_future(future)


def milliseconds(timeout: Optional[float]) -> int:
    """A timeout in seconds as the library has it, where 0 means none."""
    if timeout is None or timeout == math.inf:
        return 0
    if not isinstance(timeout, (int, float)):
        raise TypeError(f"a timeout is a number of seconds, not {type(timeout).__name__}")
    if not timeout >= 0:
        raise ValueError(f"a timeout is a number of seconds that is not negative, not {timeout}")
    return min(max(1, round(timeout * 1000)), 2**63 - 1)
