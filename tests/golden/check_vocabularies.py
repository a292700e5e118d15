#!/usr/bin/env python3
"""Runs `runtime tokenize` on llama.cpp's vocabulary files and their cases.

Needs: tokenizers, gguf, sentencepiece. Usage:
    check_vocabularies.py --runtime build/release/bin/runtime --folder llama.cpp/models [--random N] [--seed S] [NAME …]
FOLDER holds ggml-vocab-NAME.gguf with their .inp and .out. For each: all cases agree; random strings agree with Hugging Face
`tokenizers` built from the vocabulary, from the file and, saved as tokenizer.json, from a folder; where the vocabulary has
scores, random strings without special tokens agree with SentencePiece. Exits 1 when anything differs.
"""
import argparse
import os
import pathlib
import sys
import tempfile

import gguf

from check_tokens import Report, Runtime, compare, held_bytes
from hf_tokenizer import CONTROL, UNKNOWN, field, read_model
from random_strings import random_strings

NAMES = ["llama-bpe", "llama-spm", "qwen2", "gpt-2", "phi-3"]
BETWEEN = "\n__ggml_vocab_test__\n"


def compare_cases(name, path, runtime, start, report):
    before = report.differences
    texts = pathlib.Path(f"{path}.inp").read_bytes().decode().removesuffix(BETWEEN).split(BETWEEN)
    lines = pathlib.Path(f"{path}.out").read_text().splitlines()
    cases = [(text, [int(token) for token in line.split()]) for text, line in zip(texts, lines, strict=True) if text]
    for (text, their), our in zip(cases, runtime.encode([text for text, _ in cases])):
        if our[len(start):] != their:
            report.differs("case", text, our[len(start):], their)
    print(f"{name}: {len(cases)} cases, {report.differences - before} differences", flush=True)


class SentencePiece:
    """A vocabulary with scores as SentencePiece reads it, with what `compare` asks of Hugging Face's."""
    normalizer = None

    def __init__(self, reader):
        import sentencepiece
        from sentencepiece import sentencepiece_model_pb2
        proto = sentencepiece_model_pb2.ModelProto()
        rows = zip(*(field(reader, f"tokenizer.ggml.{name}") for name in ("tokens", "scores", "token_type")))
        for i, (token, score, kind) in enumerate(rows):  # of unknown tokens there can be only one
            proto.pieces.add(piece=token, score=score, type=CONTROL if kind == UNKNOWN and i > 0 else kind)
        proto.trainer_spec.model_type = sentencepiece_model_pb2.TrainerSpec.BPE
        proto.trainer_spec.byte_fallback = True
        proto.normalizer_spec.name = "identity"
        proto.normalizer_spec.add_dummy_prefix = True
        proto.normalizer_spec.remove_extra_whitespaces = False
        proto.normalizer_spec.escape_whitespaces = True
        self.processor = sentencepiece.SentencePieceProcessor(model_proto=proto.SerializeToString())

    def ids(self, text):
        encoding = lambda: None
        encoding.ids = [1] + self.processor.encode(text) if text else [1]
        return encoding

    def encode(self, text):
        return self.ids(text)

    def encode_batch(self, texts):
        return [self.ids(text) for text in texts]

    def decode(self, ids, skip_special_tokens):
        return self.processor.decode(ids)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--runtime", required=True)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--random", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("names", nargs="*", default=NAMES)
    args = parser.parse_args()
    report = Report()
    for name in args.names:
        path = os.path.join(args.folder, f"ggml-vocab-{name}.gguf")
        runtime = Runtime(args.runtime, path)
        start = [int(token) for token in runtime.printed("-p", "").split()]
        compare_cases(name, path, runtime, start, report)
        oracle, special, _ = read_model(path)
        held = held_bytes(oracle.get_vocab())
        strings = lambda words: random_strings(args.random, words, args.seed)
        compare(f"{name}, GGUF", strings(special or [" "]), runtime, oracle, held, report, start)
        with tempfile.TemporaryDirectory() as folder:
            oracle.save(os.path.join(folder, "tokenizer.json"))
            compare(f"{name}, tokenizer.json", strings(special or [" "]), Runtime(args.runtime, folder), oracle, held, report)
        if not held:
            compare(f"{name}, SentencePiece", (text.replace("<", "") or " " for text in strings([" "])), runtime,
                    SentencePiece(gguf.GGUFReader(path)), held, report)
    print(f"{report.differences} differences")
    sys.exit(report.differences > 0)


if __name__ == "__main__":
    main()
