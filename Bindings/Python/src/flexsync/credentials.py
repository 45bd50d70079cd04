# SPDX-License-Identifier: Apache-2.0
"""What users log in with, and what they then have: credentials, identities, API keys."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Mapping

from ._library import ffi, lib, string_of, text
from .values import ObjectId


@dataclass(frozen=True)
class Credentials:
    """Proof of a user's identity. Kinds that the server does not allow raise AppError with AUTH_PROVIDER_NOT_FOUND."""

    kind: int
    name: str = ""
    secret: str = ""

    @staticmethod
    def anonymous(new: bool = False) -> "Credentials":
        """An anonymous user: the one who is logged in on this device or, with `new`, always a new one."""
        return Credentials(lib.FLX_CREDENTIALS_NEW_ANONYMOUS if new else lib.FLX_CREDENTIALS_ANONYMOUS)

    @staticmethod
    def email_password(email: str, password: str) -> "Credentials":
        """The email address and password of an account."""
        return Credentials(lib.FLX_CREDENTIALS_EMAIL_PASSWORD, email, password)

    @staticmethod
    def api_key(key: str) -> "Credentials":
        """The secret of an API key."""
        return Credentials(lib.FLX_CREDENTIALS_API_KEY, secret=key)

    @staticmethod
    def jwt(token: str) -> "Credentials":
        """A JSON Web Token of the app's own provider."""
        return Credentials(lib.FLX_CREDENTIALS_JWT, secret=token)

    @staticmethod
    def function(payload: "Mapping[str, Any]") -> "Credentials":
        """What a function of the app accepts."""
        return Credentials(lib.FLX_CREDENTIALS_FUNCTION, secret=json.dumps(payload))

    def _struct(self) -> Any:
        kept = [text(self.name), text(self.secret)]
        return ffi.new("flx_credentials_t *", (self.kind, *kept)), kept


@dataclass(frozen=True)
class UserIdentity:
    """One identity of a user."""

    id: str
    """The user's id with the provider."""
    provider: str
    """"anon-user", "local-userpass", "api-key", "custom-token" …"""


@dataclass(frozen=True)
class ApiKey:
    """An API key, with which a program can log in as the user."""

    id: ObjectId
    name: str
    is_enabled: bool
    key: str = ""
    """The secret to log in with; only `User.create_api_key` returns it."""

    @staticmethod
    def _of(struct: Any) -> "ApiKey":
        return ApiKey(ObjectId(bytes(struct.id.bytes)), string_of(struct.name), not struct.is_disabled, string_of(struct.key))
