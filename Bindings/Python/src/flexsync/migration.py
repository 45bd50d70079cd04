# SPDX-License-Identifier: Apache-2.0
"""Migrations of local realms to another schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Iterator

from ._library import call, call_flag, lib, text
from .classes import name_of

if TYPE_CHECKING:
    from .realm import Realm
    from .results import Results


class Migration:
    """What a migration gets: the realm before and after, and the version of the file."""

    def __init__(self, before: "Realm", after: "Realm", old_version: int) -> None:
        self.before = before
        """The data before, with all classes of the file; it cannot be written."""
        self.after = after
        """The realm with the new classes, in a write transaction that the migration must not end."""
        self.old_version = old_version
        """The version of the schema in the file."""

    def pairs(self, name: "str | type") -> Iterator["tuple[Any, Any]"]:
        """The objects of a class before and after. An object that was deleted in `after` is left out."""
        meta = self.after._meta(name)
        every: "Results[Any]" = self.before.objects(name_of(name))
        for old in every:
            link = lib.flx_object_link(old._flx_managed.handle)
            link.target_class = meta.key
            new = self.after._linked(link)
            if new is not None:
                yield old, new

    def rename_property(self, class_name: str, old_name: str, new_name: str) -> None:
        """Gives a property of the new schema the values of one that only the old schema had."""
        call(lib.flx_migration_rename_property, self.after._handle, text(class_name), text(old_name), text(new_name))

    def delete_class(self, class_name: str) -> bool:
        """Deletes a class with its objects. Returns whether the file had it."""
        return call_flag(lib.flx_migration_delete_class, self.after._handle, text(class_name))
