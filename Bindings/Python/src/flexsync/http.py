# SPDX-License-Identifier: Apache-2.0
"""HTTP requests of an app that the program performs, or changes, itself."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping

from ._library import NULL, bytes_of, callback, error_of, ffi, lib, settle, settle_with, string_of, text
from .enumerations import Status
from .errors import FlexSyncError


@dataclass(frozen=True)
class HttpRequest:
    """A request to the server."""

    method: str
    url: str
    headers: "Mapping[str, str]" = field(default_factory=dict)
    body: bytes = b""
    timeout: float = 60.0
    """The time for the entire request in seconds."""

    @staticmethod
    def _of(struct: Any) -> "HttpRequest":
        return HttpRequest(
            string_of(struct.method), string_of(struct.url), _headers_of(struct), bytes_of(struct.body),
            struct.timeout_ms / 1000,
        )


@dataclass(frozen=True)
class HttpResponse:
    """The response to a request, whatever its status."""

    status: int
    headers: "Mapping[str, str]" = field(default_factory=dict)
    body: bytes = b""

    @staticmethod
    def _of(struct: Any) -> "HttpResponse":
        return HttpResponse(struct.status, _headers_of(struct), bytes_of(struct.body))


Respond = Callable[["HttpResponse | FlexSyncError"], None]
Transport = Callable[[HttpRequest, Respond], None]


def _headers_of(struct: Any) -> "dict[str, str]":
    headers = [struct.headers[index] for index in range(struct.header_count)]
    return {string_of(one.name): string_of(one.value) for one in headers}


def headers_array(headers: "Mapping[str, str]") -> "tuple[Any, int, Any]":
    """An array of `flx_http_header_t`, its count, and what must stay alive during the call."""
    pairs = [(text(name), text(value)) for name, value in headers.items()]
    return ffi.new("flx_http_header_t[]", pairs), len(pairs), pairs


def perform(app: Any, request: HttpRequest) -> Future:
    """Performs a request with the library's own client."""
    future: Future = Future()

    def finish(response: Any, error: Any) -> None:
        if response == NULL:
            settle(future, error=error_of(error))
        else:
            settle_with(future, lambda: HttpResponse._of(response))

    array, count, kept = headers_array(request.headers)
    texts = text(request.method), text(request.url), text(request.body)
    struct = ffi.new("flx_http_request_t *", (*texts[:2], array, count, texts[2], int(request.timeout * 1000)))
    lib.flx_app_perform_http_request(app, struct, *callback("http_completion", finish))
    del kept
    return future


def transport_callback(transport: Any) -> tuple:
    """The three arguments of a transport, or of none."""
    if transport is None:
        return callback("http_transport", None)

    def perform_request(_: Any, request: Any, completion: Any, completion_userdata: Any) -> None:
        respond = _Responder(completion, completion_userdata)
        try:
            transport(HttpRequest._of(request), respond)
        except Exception as error:
            respond(FlexSyncError(Status.CONNECTION_FAILED, f"the transport failed: {error}"))
            raise

    return callback("http_transport", perform_request)


class _Responder:
    """Gives the library the response to one request, once."""

    def __init__(self, completion: Any, userdata: Any) -> None:
        self._completion, self._userdata = completion, userdata

    def __call__(self, outcome: "HttpResponse | FlexSyncError") -> None:
        completion, self._completion = self._completion, None
        if completion is None:
            return
        if isinstance(outcome, HttpResponse):
            array, count, kept = headers_array(outcome.headers)
            body = text(outcome.body)
            completion(self._userdata, ffi.new("flx_http_response_t *", (outcome.status, array, count, body)), NULL)
            del kept
        else:
            error = ffi.new("flx_error_t *")
            message = str(outcome).encode()[:1000] + b"\0"
            error.status = outcome.status
            ffi.memmove(error.message, message, len(message))
            completion(self._userdata, NULL, error)
