#!/usr/bin/env python3
"""Compares a bigram table with the top-k of transformers on random tokens.

  calibrate ngrammys -m M.gguf --numerics f32 --artifacts f32.h5
  compare_bigrams.py --model M.gguf --artifacts f32.h5 [--count 2000]

transformers loads the same GGUF in float32 and is given each token alone. Prints one JSON object; exits 1 if a
log-probability is off by more than 1e-3, or if two tokens are in the wrong order, or the wrong one of two in the
table, though they are more than 1e-5 apart.
Needs: gguf, torch, transformers, numpy, and h5dump (hdf5-tools).
"""
import argparse
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
from importlib.metadata import version

import numpy as np

os.environ["HF_HUB_OFFLINE"] = "1"
import torch
from transformers import AutoModelForCausalLM

LOG_PROB, GAP = 1e-3, 1e-5
BATCH = 50


def read_text(path, dataset):
    return re.search(r'\(0\): "(.*?)"', subprocess.run(["h5dump", "-d", dataset, path], check=True, capture_output=True,
                                                       text=True).stdout).group(1)


def read_numbers(path, dataset, dtype, vocab):
    with tempfile.TemporaryDirectory() as folder:
        raw = os.path.join(folder, "raw")
        subprocess.run(["h5dump", "-d", dataset, "-b", "LE", "-o", raw, path], check=True, stdout=subprocess.DEVNULL)
        return torch.from_numpy(np.fromfile(raw, dtype).reshape(vocab, -1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--artifacts", required=True)
    parser.add_argument("--count", type=int, default=2000)
    arguments = parser.parse_args()
    path = pathlib.Path(arguments.model).resolve()
    model = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32).eval()
    vocab = model.config.vocab_size
    table = read_numbers(arguments.artifacts, "/ngrammys/bigram/next", np.int32, vocab).long()
    log_probs = read_numbers(arguments.artifacts, "/ngrammys/bigram/log_probs", np.float32, vocab).double()
    tokens = random.Random(7).sample(range(vocab), arguments.count)
    worst_log_prob, worst_order, worst_missing, out_of_order, same_rows = 0.0, 0.0, 0.0, 0, 0
    with torch.no_grad():
        for first in range(0, len(tokens), BATCH):
            batch = tokens[first:first + BATCH]
            expected = torch.log_softmax(model(torch.tensor(batch)[:, None]).logits[:, 0].double(), -1)
            kept = expected.gather(1, table[batch])
            worst_log_prob = max(worst_log_prob, (kept - log_probs[batch]).abs().max().item())
            # How much likelier the reference holds a token that is listed after another, or that is not in the table.
            excess = kept[:, 1:] - kept[:, :-1]
            worst_order = max(worst_order, excess.max().item())
            out_of_order += (excess > GAP).sum().item()
            rest = expected.scatter(1, table[batch], -float("inf"))
            worst_missing = max(worst_missing, (rest.max(1).values - kept.min(1).values).max().item())
            same_rows += (torch.topk(expected, table.shape[1]).indices == table[batch]).all(1).sum().item()
    holds = worst_log_prob <= LOG_PROB and worst_order <= GAP and worst_missing <= GAP
    print(json.dumps({"tokens": len(tokens), "top": table.shape[1],
                      "numerics": read_text(arguments.artifacts, "/ngrammys/numerics"),
                      "worst_log_prob": worst_log_prob, "worst_order": worst_order, "out_of_order": out_of_order,
                      "worst_missing": worst_missing,
                      "same_rows": same_rows, "holds": holds, "transformers": version("transformers")}))
    sys.exit(0 if holds else 1)


if __name__ == "__main__":
    main()
