# SPDX-License-Identifier: Apache-2.0
"""What rows.c does, in Python."""

import sys
import time

from flexsync import Object, Realm, primary_key


class Row(Object):
    _id: int = primary_key(default=0)
    name: str
    minutes: int
    share: float


def measure(what, count, work):
    begin = time.perf_counter()
    result = work()
    print(f"{what}\t{count / (time.perf_counter() - begin):.0f}")
    return result


def main(path, count):
    realm = Realm.open(path=path, classes=[Row])

    def insert():
        with realm.write():
            for i in range(count):
                realm.add(Row(_id=i, name=f"row {i}", minutes=i % 60, share=i / 7))

    measure("insert", count, insert)
    rows = realm.objects(Row)

    def read():
        length, minutes, share = 0, 0, 0.0
        for row in rows:
            length += len(row.name)
            minutes += row.minutes
            share += row.share
        return minutes, length, share

    sums = measure("read", count, read)
    columns = measure("read columns", count, lambda: rows.columns("name", "minutes", "share"))
    assert len(columns["minutes"]) == count
    print(*map(int, sums), file=sys.stderr)


main(sys.argv[1], int(sys.argv[2]))
