#!/usr/bin/env python3
"""Compares the engine's logits with those of transformers on whole distributions.

  compare_logits.py --dump build/release/bin/dump_logits --model M.gguf [--numerics f32] [--count 100] PROMPTS.jsonl...
  compare_logits.py --llama-cpp --model M.gguf [--count 100] PROMPTS.jsonl...

transformers loads the same GGUF in float32. Takes `--count` texts of 20 to 1,500 tokens, spread over the files and
over lengths. Prints one JSON object, with the perplexity of both; exits 1 if a bound of the float path does not hold.
With --llama-cpp the logits compared are those of llama.cpp on the same file, for reference.
Needs: gguf, tokenizers, torch, transformers, numpy; for --llama-cpp: llama-cpp-python.
"""
import argparse
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
from importlib.metadata import version

import gguf
import numpy as np

from hf_tokenizer import read_tokenizer

os.environ["HF_HUB_OFFLINE"] = "1"
import torch
from transformers import AutoModelForCausalLM

SHORTEST, LONGEST = 20, 1500
# Of the float path: mean and worst divergence in nats, log-probability of tokens above LIKELY, margin of the best.
MEAN_KL, WORST_KL, LOG_PROB, MARGIN, LIKELY = 1e-6, 1e-4, 2e-3, 2e-3, 1e-4


def texts(files, tokenizer, count):
    rng = random.Random(7)
    pools = []
    for file in files:
        lines = pathlib.Path(file).read_text(encoding="utf-8").strip("\n").split("\n")
        rng.shuffle(lines)
        pools.append(iter(lines))
    chosen = []
    while len(chosen) < count and pools:
        for pool in list(pools):
            line = next(pool, None)
            if line is None:
                pools.remove(pool)
                continue
            tokens = tokenizer.encode(json.loads(line)["turns"][0], add_special_tokens=False).ids
            tokens = tokens[:max(SHORTEST, rng.randrange(LONGEST) + 1)]
            if len(tokens) >= SHORTEST and len(chosen) < count:
                chosen.append(tokens)
    return chosen


def ours(arguments, tokens, vocab, folder):
    ids, out = os.path.join(folder, "ids"), os.path.join(folder, "logits")
    pathlib.Path(ids).write_text(" ".join(map(str, tokens)))
    subprocess.run([arguments.dump, arguments.model, arguments.numerics, ids, out], check=True)
    return torch.from_numpy(np.fromfile(out, np.float32).reshape(len(tokens), vocab))


def llama_cpp_reader(arguments):
    from llama_cpp import Llama
    llama = Llama(arguments.model, n_ctx=LONGEST + 1, logits_all=True, verbose=False)

    def read(tokens):
        llama.reset()
        llama.eval(tokens)
        return torch.from_numpy(llama.scores[:len(tokens)].copy())
    return read


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    engine = parser.add_mutually_exclusive_group(required=True)
    engine.add_argument("--dump", help="the program dump_logits of this build")
    engine.add_argument("--llama-cpp", action="store_true")
    parser.add_argument("--model", required=True)
    parser.add_argument("--numerics", default="f32")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("prompts", nargs="+")
    arguments = parser.parse_args()
    tokenizer = read_tokenizer(gguf.GGUFReader(arguments.model))
    path = pathlib.Path(arguments.model).resolve()
    model = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32).eval()
    chosen = texts(arguments.prompts, tokenizer, arguments.count)
    llama_cpp = llama_cpp_reader(arguments) if arguments.llama_cpp else None
    surprise = {"reference": 0.0, "engine": 0.0}
    positions, total_kl, worst_kl, worst_log_prob, other_best, same_best = 0, 0.0, 0.0, 0.0, 0, 0
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        for tokens in chosen:
            logits = model(torch.tensor([tokens])).logits[0]
            expected = torch.log_softmax(logits.double(), -1)
            raw = llama_cpp(tokens) if llama_cpp else ours(arguments, tokens, logits.shape[1], folder)
            found = torch.log_softmax(raw.double(), -1)
            for name, of in ("reference", expected), ("engine", found):
                surprise[name] -= of[:-1].gather(1, torch.tensor(tokens[1:])[:, None]).sum().item()
            kl = (expected.exp() * (expected - found)).sum(-1)
            top = torch.topk(expected, 2)
            same = found.argmax(-1) == top.indices[:, 0]
            positions += len(tokens)
            total_kl += kl.sum().item()
            worst_kl = max(worst_kl, kl.max().item())
            worst_log_prob = max(worst_log_prob, (expected - found).abs()[expected.exp() > LIKELY].max().item())
            same_best += same.sum().item()
            other_best += (~same & (top.values[:, 0] - top.values[:, 1] > MARGIN)).sum().item()
    lengths = sorted(map(len, chosen))
    print(json.dumps({"texts": len(chosen), "tokens": [lengths[0], lengths[len(lengths) // 2], lengths[-1]],
                      "positions": positions, "engine": "llama.cpp" if llama_cpp else arguments.numerics,
                      "perplexity_reference": math.exp(surprise["reference"] / (positions - len(chosen))),
                      "perplexity": math.exp(surprise["engine"] / (positions - len(chosen))), "mean_kl": total_kl / positions,
                      "worst_kl": worst_kl, "worst_log_prob": worst_log_prob, "same_best": same_best / positions,
                      "other_best_beyond_margin": other_best, "transformers": version("transformers")}))
    holds = total_kl / positions < MEAN_KL and worst_kl < WORST_KL and worst_log_prob < LOG_PROB and other_best == 0
    sys.exit(0 if holds or llama_cpp or arguments.numerics != "f32" else 1)


if __name__ == "__main__":
    main()
