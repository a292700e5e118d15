#!/usr/bin/env python3
"""Compares `runtime tokenize` with Hugging Face: prompt files, random strings, chat text.

Needs: tokenizers, gguf, jinja2. Usage:
    check_tokens.py --runtime build/release/bin/runtime --model MODEL [--random N] [--seed S] [PROMPTS.jsonl …]
MODEL is a GGUF file or a folder (whose chat text is not compared). Every turn and every reference of the prompts is a text of its own. For each text: the tokens are
equal; what they decode to is equal, and is the text again (apart from bytes that the vocabulary does
not hold, which both drop, and from what a normalizer changes). Exits 1 when anything differs, and shows the first few.
"""
import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import version

import jinja2.sandbox

from hf_tokenizer import read_model
from random_strings import random_strings

BATCH = 20000


class Runtime:
    def __init__(self, program, model):
        self.command = [program, "tokenize", "-m", model]

    def lines(self, *arguments, given=None):
        done = subprocess.run([*self.command, *arguments], input=given, stdout=subprocess.PIPE, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def printed(self, *arguments):
        return subprocess.run([*self.command, *arguments], stdout=subprocess.PIPE, check=True, text=True).stdout

    def encode(self, texts, raw=True):
        with tempfile.NamedTemporaryFile("w", encoding="utf-8", newline="\n", suffix=".jsonl") as file:
            file.writelines(json.dumps({"turns": [text]}) + "\n" for text in texts)
            file.flush()
            lines = self.lines("--prompts", file.name, "--json", "-", *(["--raw"] if raw else []))
        return [line["tokens"] for line in lines]

    def decode(self, ids):
        given = "".join(" ".join(map(str, tokens)) + "\n" for tokens in ids)
        return [line["text"] for line in self.lines("--decode", "-", "--json", "-", given=given.encode())]


class Report:
    def __init__(self):
        self.differences = 0

    def differs(self, what, text, ours, theirs):
        self.differences += 1
        if self.differences <= 10:
            print(f"DIFFERENT {what}: {text[:200]!r}\n  ours   {ours!s:.600}\n  theirs {theirs!s:.600}")


def texts_of(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            yield from (text for text in (*record["turns"], record.get("reference")) if text)


def kept(text, held):
    """The text without the bytes that the vocabulary does not hold."""
    return bytes(byte for byte in text.encode() if byte in held).decode(errors="replace")


def compare(name, texts, runtime, oracle, held, report, start=()):
    """@param start  the tokens before every text of ours; the oracle puts its own, or nothing."""
    texts = iter(texts)
    strings = tokens = dropped = 0
    before = report.differences
    begin = len(oracle.encode("").ids)  # after what the oracle puts before every text
    while batch := list(itertools.islice(texts, BATCH)):
        ours = [tokens[len(start):] for tokens in runtime.encode(batch)]
        theirs = [encoding.ids for encoding in oracle.encode_batch(batch)]
        back = runtime.decode([tokens[begin:] for tokens in ours])
        assert len(ours) == len(theirs) == len(back)
        for text, our, their, again in zip(batch, ours, theirs, back):
            strings += 1
            tokens += len(their)
            if our != their:
                report.differs("tokens", text, our, their)
            expected = kept(text, held) if held else text
            dropped += expected != text
            if oracle.normalizer or not held:
                expected = oracle.decode(their[begin:], skip_special_tokens=False)
            if again != expected:
                report.differs("decoded", text, repr(again), repr(expected))
    print(f"{name:<28} {strings:>8} texts {tokens:>10} tokens {dropped:>6} with dropped bytes "
          f"{report.differences - before:>6} differences", flush=True)
    return strings, tokens


def held_bytes(tokens):
    """The bytes that are tokens of their own, in GPT-2's alphabet; none of a vocabulary of characters."""
    if "\u2581" in tokens:
        return set()
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    letters = {byte: chr(byte) for byte in printable}
    others = (byte for byte in range(256) if byte not in letters)
    letters.update({byte: chr(0x100 + i) for i, byte in enumerate(others)})
    return {byte for byte, letter in letters.items() if letter in tokens}


def compare_chat(name, texts, template, runtime, oracle, special, report):
    """One user message after the default system turn, as the model's own template renders it. Special tokens
    that a user writes are text to us, and tokens to Hugging Face: such messages are left out."""
    texts = (text for text in texts if not any(token in text for token in special))
    count, before = 0, report.differences
    while batch := list(itertools.islice(texts, BATCH)):
        rendered = [template.render(messages=[{"role": "user", "content": text}], add_generation_prompt=True)
                    for text in batch]
        for text, our, their in zip(batch, runtime.encode(batch, raw=False), oracle.encode_batch(rendered)):
            if our != their.ids:
                report.differs("chat", text, our, their.ids)
        count += len(batch)
    print(f"{name:<28} {count:>8} chats {report.differences - before:>50} differences", flush=True)
    return count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runtime", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--random", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("prompts", nargs="*")
    args = parser.parse_args()
    oracle, special, template = read_model(args.model)
    runtime, report = Runtime(args.runtime, args.model), Report()
    held = held_bytes(oracle.get_vocab())
    print(f"tokenizers {version('tokenizers')}; bytes not in the vocabulary:",
          " ".join(f"{byte:02x}" for byte in range(256) if held and byte not in held))
    sums = [compare(os.path.basename(path), texts_of(path), runtime, oracle, held, report) for path in args.prompts]
    print(f"prompts: {sum(s for s, _ in sums)} texts, {sum(t for _, t in sums)} tokens")
    compare(f"random, seed {args.seed}", random_strings(args.random, special, args.seed), runtime, oracle, held, report)
    if template:
        environment = jinja2.sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
        chat = environment.from_string(template), runtime, oracle, special, report
        chats = [compare_chat(os.path.basename(path), texts_of(path), *chat) for path in args.prompts]
        print(f"prompts: {sum(chats)} chats")
        compare_chat("random", random_strings(args.random, special, args.seed + 1), *chat)
    print(f"{report.differences} differences")
    sys.exit(report.differences > 0)


if __name__ == "__main__":
    main()
