#!/usr/bin/env python3
"""Writes quantise_q8_0.json: what gguf-py makes of floats as Q8_0, bytes in hexadecimal.

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
stored = gguf.quants.quantize(floats, gguf.GGMLQuantizationType.Q8_0)
result = {"versions": {name: version(name) for name in ("gguf", "numpy")},
          "floats": floats.tobytes().hex(), "stored": stored.tobytes().hex()}
(pathlib.Path(__file__).parent / "quantise_q8_0.json").write_text(json.dumps(result, indent=1) + "\n")
