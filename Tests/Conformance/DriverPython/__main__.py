# SPDX-License-Identifier: Apache-2.0
"""Plays a conformance scenario through the Python package and prints its transcript. See ../README.md.

    python3 DriverPython SCENARIO|- SERVER APP DATA SERVER_CONTROL
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from device import Device


class Player:
    def __init__(self, server: str, app_id: str, data: str, control: str) -> None:
        self._place = (server, app_id, data)
        self._control = control
        self._devices: "dict[str, Device]" = {}

    def play(self, step: "dict[str, Any]") -> None:
        if step["do"] == "server":
            subprocess.run([self._control, step["action"]], check=True)
            print(f"server {step['action']}ed", flush=True)
            return
        name = step["device"]
        if name not in self._devices:
            self._devices[name] = Device(name, *self._place)
        self._devices[name].play(step)
        sys.stdout.flush()

    def play_file(self, path: str) -> None:
        with open(path, encoding="utf-8") as file:
            for step in json.load(file)["steps"]:
                self.play(step)

    def play_input(self) -> None:
        """Plays the steps that come in, one a line, and says after each that it is done."""
        for one in sys.stdin:
            self.play(json.loads(one))
            print("done", flush=True)

    def close(self) -> None:
        for device in self._devices.values():
            device.close()


def main(arguments: "list[str]") -> None:
    if len(arguments) != 5:
        sys.exit(__doc__)
    player = Player(*arguments[1:])
    if arguments[0] == "-":
        player.play_input()
    else:
        player.play_file(arguments[0])
    player.close()


main(sys.argv[1:])
