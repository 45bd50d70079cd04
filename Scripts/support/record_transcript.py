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
    about = json.dumps(scenario["about"], ensure_ascii=False)
    file.write(f'{{\n  "about": {about},\n  "steps": [\n{lines(scenario["steps"])}\n  ],\n')
    file.write(f'  "transcript": [\n{lines(scenario["transcript"])}\n  ]\n}}\n')
