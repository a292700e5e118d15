"""Reads JSON lines, as the programs write them and prompts files are."""

import json


def json_lines(text):
    """The records of a text, one a line. Lines end with a newline only: str.splitlines also ends them at characters
    like U+2028, which JSON strings hold as they are."""
    return [json.loads(line) for line in text.split("\n") if line.strip()]
