#!/usr/bin/env python3
"""Writes tokens.json, decoded.json and unicode_classes.json: what Hugging Face `tokenizers` makes of texts.

The texts are encoded with the default model's vocabulary. Needs: tokenizers, gguf.
Usage: make_tokens.py [MODEL.gguf]
"""
import json
import pathlib
import random
import sys
from importlib.metadata import version

import gguf
from tokenizers import Regex, pre_tokenizers

from hf_tokenizer import CONTROL, field, read_tokenizer
from random_strings import PIECES, SPACES, random_strings

HERE = pathlib.Path(__file__).parent
MODEL = HERE.parent.parent / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf"
OF_OUR_OWN = [
    "", " ", "Hello, world!", "Hello  world", "It's 1984; we'll say they've won.", "I'M SURE IT'S FINE", "  7", "a  42 b",
    "line\r\nline\r\n\r\n  indented", "trailing   ", "\n\n\n", "def f(x):\n    return x ** 2\n", "naïve café — 東京 🎉",
    "<|im_start|>user\nhi<|im_end|>\n", "<|im_end|>x<|im_end|>", "a<|im_start|", "<file_sep><filename>a.py", "<repo_name",
    "<reponame><repo_name>", "x" * 400, "ab" * 300, "=" * 200, "\x04\x06kept\x13\x14\x16\x1d", "\u0301", "e\u0301 e", "½ ² ٣ Ⅷ 四",
    "\U000F0000\U0010FFFF\U00040000", "👩‍👩‍👧👍🏽🇩🇪", "\u00a0nbsp\u3000wide", "don''t", "'s's 's"]


def write(name, packages, content):
    content = {"made_by": "make_tokens.py", "versions": {package: version(package) for package in packages}, **content}
    (HERE / name).write_text(json.dumps(content, indent=0) + "\n")


def make_tokens(reader):
    tokenizer = read_tokenizer(reader)
    kinds = field(reader, "tokenizer.ggml.token_type")
    special = [token for token, kind in zip(field(reader, "tokenizer.ggml.tokens"), kinds) if kind == CONTROL]
    texts = [*OF_OUR_OWN, *SPACES, *(f"a{space}b{space}1" for space in SPACES), *PIECES, *random_strings(200, special, 7)]
    cases = []
    for text in texts:
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        cases.append({"text": text, "tokens": " ".join(map(str, ids)),
                      "decoded": tokenizer.decode(ids, skip_special_tokens=False)})
        if cases[-1]["decoded"] == text:
            del cases[-1]["decoded"]  # only where it differs: bytes that the vocabulary does not hold
    write("tokens.json", ("tokenizers", "gguf"), {"cases": cases})


def make_decoded(reader):
    """Any tokens in a row: many hold a part of a character, which has nothing to complete it."""
    tokenizer = read_tokenizer(reader)
    tokens = field(reader, "tokenizer.ggml.tokens")
    parts = [i for i, token in enumerate(tokens) if len(token) == 1 and ord(token) > 0x7E]
    rng = random.Random(7)
    cases = []
    for length in range(1, 60):
        ids = [rng.choice(parts) if rng.random() < 0.8 else rng.randrange(len(tokens)) for _ in range(length)]
        ids += [rng.randrange(17)] + rng.sample(parts, 2)  # a special token, which may be hidden
        cases.append({"tokens": " ".join(map(str, ids)), "decoded": tokenizer.decode(ids, skip_special_tokens=False),
                      "without_special": tokenizer.decode(ids, skip_special_tokens=True)})
    write("decoded.json", ("tokenizers", "gguf"), {"cases": cases})


def make_classes():
    """The classes of all code points, each as how many there are and their sum."""
    code_points = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    everything = "".join(map(chr, code_points))

    def outside(pattern):
        pieces = pre_tokenizers.Split(Regex(pattern), "removed").pre_tokenize_str(everything)
        return {ord(character) for piece, _ in pieces for character in piece}

    upper, lower = (set(code_points) - outside(rf"[{kinds}\p{{Lm}}\p{{Lo}}\p{{M}}]") for kinds in (r"\p{Lu}\p{Lt}", r"\p{Ll}"))
    letters, spaces = (set(code_points) - outside(pattern) for pattern in (r"\p{L}", r"\s"))
    # A number is cut off from a letter before it.
    digits = pre_tokenizers.Digits(individual_digits=True)
    numbers = {c for c in code_points if len(digits.pre_tokenize_str("a" + chr(c))) == 2}
    classes = {"letters": letters, "numbers": numbers, "spaces": spaces, "upper": upper - lower, "lower": lower - upper,
               "either": upper & lower}
    write("unicode_classes.json", ("tokenizers",),
          {name: {"count": len(members), "sum": sum(members)} for name, members in classes.items()})


if __name__ == "__main__":
    reader = gguf.GGUFReader(sys.argv[1] if len(sys.argv) > 1 else MODEL)
    make_tokens(reader)
    make_decoded(reader)
    make_classes()
