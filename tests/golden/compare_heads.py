#!/usr/bin/env python3
"""Compares what `calibrate heads` counted with the attention that transformers computes.

  data traces -m M.gguf --prompts P.jsonl -o traces --numerics f32 --turns first -n 96
  data export traces --to jsonl --out traces.jsonl
  calibrate heads -m M.gguf --data traces --numerics f32 --artifacts f32.h5
  compare_heads.py --model M.gguf --traces traces.jsonl --artifacts f32.h5

transformers loads the same GGUF in float32 and hands out every head's attention over the whole text at once
(eager, output_attentions). Texts of more than 1,000 tokens are refused. Where the two keys that a head attends to
most are less than 1e-5 apart, either may be the largest: such rows may count as hits or not. Prints one JSON
object; exits 1 if a number of copied tokens or a count of hits differs beyond that.
Needs: gguf, torch, transformers, numpy, and h5dump (hdf5-tools).
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from importlib.metadata import version

import numpy as np

os.environ["HF_HUB_OFFLINE"] = "1"
import torch
from transformers import AutoModelForCausalLM

GAP = 1e-5
LONGEST = 1000
GROUP = "/pld_plus/heads"


def read_numbers(path, dataset, dtype):
    with tempfile.TemporaryDirectory() as folder:
        raw = os.path.join(folder, "raw")
        subprocess.run(["h5dump", "-d", dataset, "-b", "LE", "-o", raw, path], check=True, stdout=subprocess.DEVNULL)
        return np.fromfile(raw, dtype)


def answers(path):
    """(prompt's id, text, tokens of the prompt, positions in loops) of each trace, without the loop that ends it."""
    for line in open(path):
        trace = json.loads(line)
        prompt, in_loop = trace["prompt_tokens"], trace["in_loop"]
        while in_loop and in_loop[-1]:
            in_loop.pop()
        loops = {len(prompt) + i for i, flag in enumerate(in_loop) if flag}
        yield trace["id"], prompt + trace["output_tokens"][:len(in_loop)], len(prompt), loops


def source_of(text, prompt, t):
    """Where in the prompt text[t] was copied from: the longest common run before it, the latest of equals."""
    def run(r):
        length = 0
        while length < r and text[r - 1 - length] == text[t - 1 - length]:
            length += 1
        return length
    places = [r for r in range(prompt) if text[r] == text[t]]
    return max(places, key=lambda r: (run(r), r)) if places else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--traces", required=True, help="as `data export --to jsonl` writes them")
    parser.add_argument("--artifacts", required=True)
    arguments = parser.parse_args()
    path = pathlib.Path(arguments.model).resolve()
    model = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32,
                                                 attn_implementation="eager").eval()
    layers, heads = model.config.num_hidden_layers, model.config.num_attention_heads
    halves, certain = {}, np.zeros((2, layers, heads), np.int64)
    doubtful, tokens, longest = np.zeros_like(certain), [0, 0], 0
    for prompt_id, text, prompt, loops in answers(arguments.traces):
        half = halves.setdefault(prompt_id, len(halves) % 2)
        if len(text) > LONGEST:
            sys.exit(f"compare_heads: a text has {len(text)} tokens, expected at most {LONGEST}")
        longest = max(longest, len(text))
        sources = {t: source for t in range(prompt, len(text))
                   if t not in loops and (source := source_of(text, prompt, t)) is not None}
        if not sources:
            continue
        tokens[half] += len(sources)
        rows = torch.tensor([t - 1 for t in sources])
        wanted = torch.tensor(list(sources.values()))
        with torch.no_grad():
            attentions = model(torch.tensor([text[:-1]]), output_attentions=True).attentions
        for layer, attention in enumerate(attentions):
            best = torch.topk(attention[0][:, rows], 2)  # [heads, copied tokens, 2]
            close = best.values[..., 0] - best.values[..., 1] < GAP
            certain[half, layer] += ((best.indices[..., 0] == wanted) & ~close).sum(1).numpy()
            doubtful[half, layer] += ((best.indices == wanted[:, None]).any(-1) & close).sum(1).numpy()
    counted = read_numbers(arguments.artifacts, GROUP + "/tokens", np.int64).reshape(2, -1).sum(1)
    hits = read_numbers(arguments.artifacts, GROUP + "/hits", np.int64).reshape(2, -1, layers, heads).sum(1)
    off = np.maximum(certain - hits, hits - certain - doubtful).clip(0)
    holds = counted.tolist() == tokens and not off.any()
    print(json.dumps({"prompts": len(halves), "longest": longest, "copied_tokens": tokens,
                      "counted_tokens": counted.tolist(), "hits": int(hits.sum()), "heads_with_hits": int((hits.sum(0) > 0).sum()),
                      "excused": int(doubtful.sum()), "differing_heads": int((off > 0).sum()), "worst": int(off.max()),
                      "holds": holds, "transformers": version("transformers")}))
    sys.exit(0 if holds else 1)


if __name__ == "__main__":
    main()
