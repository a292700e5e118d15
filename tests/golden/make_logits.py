#!/usr/bin/env python3
"""Writes logits.json: what transformers, loading the GGUF in float32, makes of a few texts.

Needs: gguf, tokenizers, torch, transformers. Usage: make_logits.py [MODEL.gguf]
Per position: log-sum-exp of the logits, and the eight likeliest tokens with their log-probabilities.
"""
import json
import os
import pathlib
import sys
from importlib.metadata import version

import gguf

from hf_tokenizer import read_tokenizer

os.environ["HF_HUB_OFFLINE"] = "1"
import torch
from transformers import AutoModelForCausalLM

HERE = pathlib.Path(__file__).parent
MODEL = HERE.parent.parent / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf"
PROMPTS = HERE.parent.parent / "configs" / "prompts" / "demo.jsonl"
FORMAT = 1
TEXTS = 12
TOKENS = 120
TOP = 8


def main():
    path = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else MODEL)
    tokenizer = read_tokenizer(gguf.GGUFReader(path))
    model = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32).eval()
    texts = []
    for line in PROMPTS.read_text().splitlines()[::2][:TEXTS]:
        tokens = tokenizer.encode(json.loads(line)["turns"][0], add_special_tokens=False).ids[:TOKENS]
        with torch.no_grad():
            logits = model(torch.tensor([tokens])).logits[0].double()
        total = torch.logsumexp(logits, -1)
        best = torch.topk(logits - total[:, None], TOP)
        texts.append({"tokens": tokens, "log_sum_exp": [round(x, 5) for x in total.tolist()],
                      "best": best.indices.tolist(),
                      "log_probs": [[round(x, 6) for x in row] for row in best.values.tolist()]})
    content = {"made_by": "make_logits.py", "format": FORMAT, "model": path.name,
               "versions": {name: version(name) for name in ("torch", "transformers", "tokenizers", "gguf")},
               "texts": texts}
    (HERE / "logits.json").write_text(json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
