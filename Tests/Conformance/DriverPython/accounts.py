# SPDX-License-Identifier: Apache-2.0
"""The steps about users: logging in in every way, linking, switching, API keys."""

from __future__ import annotations

from typing import Any

from flexsync import ApiKey, App, Credentials, FlexSyncError, User, UserState

from values import ScenarioError

#: What the scenario calls users, on all devices, by their ids; and the API keys that were made.
names: "dict[str, str]" = {}
keys: "dict[str, ApiKey]" = {}


def name_of(user: User) -> str:
    return names.get(user.id, "somebody")


def user_of(app: App, step: "dict[str, Any]") -> User:
    for user in app.users:
        if name_of(user) == step["user"]:
            return user
    raise ScenarioError(f"the device does not know the user '{step['user']}'")


def credentials_of(step: "dict[str, Any]") -> Credentials:
    kind = step["with"]
    if kind == "anonymous":
        return Credentials.anonymous()
    if kind == "token":
        return Credentials.jwt(step["secret"])
    if kind == "key":
        return Credentials.api_key(keys[step["secret"]].key)
    return Credentials.email_password(f"{step.get('email', step['user'])}@example.com", step.get("secret", "password"))


def register(app: App, step: "dict[str, Any]") -> str:
    app.email_password.register(f"{step['user']}@example.com", "password")
    return f"registered {step['user']}"


def login(app: App, step: "dict[str, Any]") -> str:
    user = app.log_in(credentials_of(step))
    names.setdefault(user.id, step["user"])
    return f"{name_of(user)} logged in with {user.provider}"


def link(app: App, step: "dict[str, Any]") -> str:
    user = user_of(app, step)
    user.link(credentials_of(step))
    return f"{name_of(user)} has {', '.join(identity.provider for identity in user.identities)}"


def switch(app: App, step: "dict[str, Any]") -> str:
    user = user_of(app, step)
    app.switch(user)
    return f"{name_of(user)} is the current user"


def end(app: App, step: "dict[str, Any]") -> str:
    user = user_of(app, step)
    {"logout": user.log_out, "remove": user.remove, "delete": user.delete}[step["do"]]()
    return f"{name_of(user)} is {state_of(user)}"


def state_of(user: User) -> str:
    return {UserState.LOGGED_IN: "logged in", UserState.LOGGED_OUT: "logged out"}.get(user.state, "removed")


def users(app: App, step: "dict[str, Any]") -> str:
    current = app.current_user
    lines = [f"{name_of(user)} {state_of(user)}{' (current)' if user == current else ''}" for user in app.users]
    return "users: " + (", ".join(sorted(lines)) or "none")


def key(app: App, step: "dict[str, Any]") -> str:
    user, action, name = user_of(app, step), step["action"], step["name"]
    if action == "create":
        keys[name] = user.create_api_key(name)
    else:
        {"enable": user.enable_api_key, "disable": user.disable_api_key, "delete": user.delete_api_key}[action](keys[name])
    return f"key {name} {action}d"


def list_keys(app: App, step: "dict[str, Any]") -> str:
    found = user_of(app, step).api_keys()
    return "keys: " + (", ".join(f"{one.name} {'enabled' if one.is_enabled else 'disabled'}" for one in found) or "none")


STEPS = {
    "register": register, "login": login, "link": link, "switch": switch, "logout": end, "remove": end, "delete": end,
    "users": users, "key": key, "keys": list_keys,
}


def play(app: App, step: "dict[str, Any]") -> str:
    """Plays a step about users, and returns what the transcript says."""
    try:
        return STEPS[step["do"]](app, step)
    except FlexSyncError as error:
        return f"failed: {error.server_code or error.status.name}"
