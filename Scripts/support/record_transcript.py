# SPDX-License-Identifier: Apache-2.0
"""Writes a transcript into a conformance scenario: record_transcript.py SCENARIO TRANSCRIPT."""

import json
import sys

path, transcript = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    scenario = json.load(file)
with open(transcript, encoding="utf-8") as file:
    scenario["transcript"] = file.read().splitlines()


def lines(items):
    return ",\n".join("    " + json.dumps(item, ensure_ascii=False) for item in items)


with open(path, "w", encoding="utf-8") as file:
    about = {name: value for name, value in scenario.items() if name not in ("steps", "transcript")}
    members = "".join(f'  "{name}": {json.dumps(value, ensure_ascii=False)},\n' for name, value in about.items())
    file.write(f'{{\n{members}  "steps": [\n{lines(scenario["steps"])}\n  ],\n')
    file.write(f'  "transcript": [\n{lines(scenario["transcript"])}\n  ]\n}}\n')
