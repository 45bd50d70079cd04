# SPDX-License-Identifier: Apache-2.0
"""Accounts with email and password."""

from __future__ import annotations

import json
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from ._library import finished, lib, started, text, wait

if TYPE_CHECKING:
    from .app import App


class EmailPassword:
    """Accounts with email and password: `App.email_password`. Every call sends a request to the server.

    Raises AppError with CONNECTION_FAILED, SERVICE_ERROR … besides what is listed. Any thread.
    """

    def __init__(self, app: "App") -> None:
        self._app = app

    def _start(self, name: str, *texts: str) -> Future:
        return started(getattr(lib, "flx_app_" + name), self._app._handle, *(text(one) for one in texts))

    def register(self, email: str, password: str) -> None:
        """Makes an account, without logging in. Raises AppError with ACCOUNT_NAME_IN_USE."""
        wait(self._start("register_email", email, password), self._app._driver)

    async def register_async(self, email: str, password: str) -> None:
        """`register` for asyncio."""
        await finished(self._start("register_email", email, password), self._app._driver)

    def confirm(self, token: str, token_id: str) -> None:
        """Confirms an account with what the confirmation email has. Raises AppError with USER_ALREADY_CONFIRMED."""
        wait(self._start("confirm_email", token, token_id), self._app._driver)

    async def confirm_async(self, token: str, token_id: str) -> None:
        """`confirm` for asyncio."""
        await finished(self._start("confirm_email", token, token_id), self._app._driver)

    def resend_confirmation(self, email: str) -> None:
        """Asks the server to send the confirmation email again. Raises AppError with USER_NOT_FOUND."""
        wait(self._start("resend_confirmation", email), self._app._driver)

    async def resend_confirmation_async(self, email: str) -> None:
        """`resend_confirmation` for asyncio."""
        await finished(self._start("resend_confirmation", email), self._app._driver)

    def retry_confirmation(self, email: str) -> None:
        """Asks the server to call the app's confirmation function again. Raises AppError with USER_NOT_FOUND."""
        wait(self._start("retry_confirmation_function", email), self._app._driver)

    async def retry_confirmation_async(self, email: str) -> None:
        """`retry_confirmation` for asyncio."""
        await finished(self._start("retry_confirmation_function", email), self._app._driver)

    def send_password_reset(self, email: str) -> None:
        """Asks the server to send a password reset email."""
        wait(self._start("send_password_reset", email), self._app._driver)

    async def send_password_reset_async(self, email: str) -> None:
        """`send_password_reset` for asyncio."""
        await finished(self._start("send_password_reset", email), self._app._driver)

    def reset_password(self, password: str, token: str, token_id: str) -> None:
        """Sets a new password with what the password reset email has."""
        wait(self._start("reset_password", password, token, token_id), self._app._driver)

    async def reset_password_async(self, password: str, token: str, token_id: str) -> None:
        """`reset_password` for asyncio."""
        await finished(self._start("reset_password", password, token, token_id), self._app._driver)

    def call_reset_function(self, email: str, password: str, *arguments: Any) -> None:
        """Asks the server to call the app's password reset function."""
        words = json.dumps(arguments) if arguments else ""
        wait(self._start("call_password_reset_function", email, password, words), self._app._driver)

    async def call_reset_function_async(self, email: str, password: str, *arguments: Any) -> None:
        """`call_reset_function` for asyncio."""
        words = json.dumps(arguments) if arguments else ""
        await finished(self._start("call_password_reset_function", email, password, words), self._app._driver)
