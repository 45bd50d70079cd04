# SPDX-License-Identifier: Apache-2.0
"""Observers, and what they have been told."""

from __future__ import annotations

from typing import Any

from flexsync import NotificationToken, ObjectChanges


class Observers:
    """Those of one device."""

    def __init__(self) -> None:
        self._tokens: "dict[str, NotificationToken]" = {}
        self._told: "dict[str, list[str]]" = {}

    def observe_collection(self, step: "dict[str, Any]", subject: Any) -> None:
        """Observes results or a collection."""

        def changed(changes: Any) -> None:
            words = ["first"] if changes.is_initial else []
            for verb, places in (
                ("deleted", changes.deletions), ("inserted", changes.insertions), ("modified", changes.modifications),
            ):
                if places:
                    words.append(f"{verb} [{', '.join(map(str, places))}]")
            told.append(" ".join(words))

        told = self._told[step["as"]] = []
        self._tokens[step["as"]] = subject.observe(changed, *step.get("keyPaths", []))

    def observe_object(self, step: "dict[str, Any]", subject: Any, properties: "list[str]") -> None:
        """Observes an object, whose changed properties are told in the order of its class."""

        def changed(changes: ObjectChanges) -> None:
            names = [name for name in properties if name in changes.properties]
            told.append(" ".join(["deleted" if changes.is_deleted else "changed", *names]))

        told = self._told[step["as"]] = []
        self._tokens[step["as"]] = subject.observe(changed, *step.get("keyPaths", []))

    def remove(self, name: str) -> None:
        self._tokens.pop(name).close()
        del self._told[name]

    def take(self) -> "list[str]":
        """What they have been told since the last time."""
        lines = [f"{name}: {line}" for name, told in self._told.items() for line in told]
        for told in self._told.values():
            told.clear()
        return lines

    def close(self) -> None:
        for token in self._tokens.values():
            token.close()
        self._tokens, self._told = {}, {}
