#!/usr/bin/env python3
"""Writes quantise_TYPE.json: what gguf-py makes of floats as Q8_0 and Q4_1, bytes in hexadecimal.

Needs: gguf, numpy. Usage: make_quantise.py
"""
import json
import pathlib
from importlib.metadata import version

import gguf
import numpy as np

random = np.random.default_rng(11)
blocks = [random.normal(scale=10.0**power, size=32) for power in (-6, -3, -1, 0, 2)]
blocks.append(np.zeros(32))
blocks.append(np.concatenate([[127.0], np.arange(31) + 0.5]))  # ties
blocks.append(np.concatenate([[-127.0], -np.arange(31) - 0.5]))
floats = np.concatenate(blocks).astype(np.float32)
for name in ("Q8_0", "Q4_1"):
    stored = gguf.quants.quantize(floats, gguf.GGMLQuantizationType[name])
    result = {"versions": {package: version(package) for package in ("gguf", "numpy")},
              "floats": floats.tobytes().hex(), "stored": stored.tobytes().hex()}
    path = pathlib.Path(__file__).parent / f"quantise_{name.lower()}.json"
    path.write_text(json.dumps(result, indent=1) + "\n")
