#!/usr/bin/env python3
"""Writes dequantise.json and smollm2_weights.json: what gguf-py makes of stored numbers.

Needs: gguf, numpy. Usage: make_dequantise.py [MODEL.gguf]
Every float is written as its 32 bits in hexadecimal, so that the comparison is bit for bit.
"""
import json
import pathlib
import sys
from importlib.metadata import version

import gguf
import numpy as np

HERE = pathlib.Path(__file__).parent
MODEL = HERE.parent.parent / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf"
VERSIONS = {name: version(name) for name in ("gguf", "numpy")}
TYPES = gguf.GGMLQuantizationType

# Halves: zeros of both signs, the smallest and largest subnormals, the smallest normal, one, the
# largest finite, infinities.
SPECIAL_HALVES = [0x0000, 0x8000, 0x0001, 0x8001, 0x03FF, 0x83FF, 0x0400, 0x8400, 0x3C00, 0xBC00,
                  0x7BFF, 0xFBFF, 0x7C00, 0xFC00]
# The same for the upper halves of floats, and a quiet NaN.
SPECIAL_BRAINS = [0x0000, 0x8000, 0x0001, 0x8001, 0x007F, 0x0080, 0x3F80, 0xBF80, 0x7F7F, 0xFF7F,
                  0x7F80, 0xFF80, 0x7FC0]


def finite_halves(random, count):
    halves = random.integers(0, 1 << 16, 4 * count).astype(np.uint16)
    return halves[(halves & 0x7C00) != 0x7C00][:count]


def stored(random, kind):
    """Bytes of a type: random ones, and every special scale."""
    if kind == TYPES.F32:
        special = np.array([0, 0x80000000, 1, 0x807FFFFF, 0x7F7FFFFF, 0x7F800000, 0x7FC00000], np.uint32)
        return np.concatenate([special, random.normal(size=25).astype(np.float32).view(np.uint32)]).view(np.uint8)
    if kind == TYPES.F16:
        return np.concatenate([np.array(SPECIAL_HALVES, np.uint16), finite_halves(random, 50)]).view(np.uint8)
    if kind == TYPES.BF16:
        random_brains = random.normal(size=51).astype(np.float32).view(np.uint32) >> 16
        return np.concatenate([np.array(SPECIAL_BRAINS), random_brains]).astype(np.uint16).view(np.uint8)
    _, size = gguf.GGML_QUANT_SIZES[kind]
    finite = [half for half in SPECIAL_HALVES if half & 0x7C00 != 0x7C00]
    scales = np.concatenate([np.array(finite, np.uint16), finite_halves(random, 4)])
    blocks = random.integers(0, 256, (len(scales), size)).astype(np.uint8)
    at = {TYPES.Q6_K: 208, TYPES.Q2_K: 80, TYPES.Q3_K: 108}.get(kind, 0)
    if kind == TYPES.MXFP4:  # exponents, and every special one
        blocks[:5, 0] = [0, 1, 2, 254, 255]
        return blocks.reshape(-1)
    blocks[:, at:at + 2] = scales.view(np.uint8).reshape(-1, 2)
    if kind in (TYPES.Q4_1, TYPES.Q5_1, TYPES.Q4_K, TYPES.Q5_K, TYPES.Q2_K):  # the minimum is a half too
        minima = np.roll(scales, 3)
        blocks[:, at + 2:at + 4] = minima.view(np.uint8).reshape(-1, 2)
    return blocks.reshape(-1)


def words(floats):
    return "".join(f"{bits:08x}" for bits in np.ascontiguousarray(floats, np.float32).reshape(-1).view(np.uint32))


def write(name, content):
    content = {"made_by": "make_dequantise.py", "versions": VERSIONS, **content}
    (HERE / name).write_text(json.dumps(content, indent=1) + "\n")


def make_types():
    random = np.random.default_rng(20240807)
    cases = []
    for kind in (TYPES.F32, TYPES.F16, TYPES.BF16, TYPES.Q4_0, TYPES.Q4_1, TYPES.Q5_0, TYPES.Q5_1, TYPES.Q8_0,
                 TYPES.Q4_K, TYPES.Q5_K, TYPES.Q6_K, TYPES.Q2_K, TYPES.Q3_K, TYPES.IQ4_NL, TYPES.IQ4_XS, TYPES.MXFP4):
        raw = stored(random, kind)
        with np.errstate(all="ignore"):
            floats = gguf.dequantize(raw.view(np.float32) if kind == TYPES.F32 else raw.view(np.float16) if kind == TYPES.F16 else raw, kind)
        cases.append({"type": kind.name, "stored": raw.tobytes().hex(), "floats": words(floats)})
    write("dequantise.json", {"types": cases})


def halves_of(weight, heads):
    """Rows of Q and K from GGUF's order for llama, neighbouring pairs, to Hugging Face's halves."""
    rows, columns = weight.shape
    return weight.reshape(heads, rows // heads // 2, 2, columns).swapaxes(1, 2).reshape(rows, columns)


def checksum(floats):
    """Sum over all numbers of bits * (2 index + 1), modulo 2^64."""
    bits = np.ascontiguousarray(floats, np.float32).reshape(-1).view(np.uint32).astype(np.uint64)
    return int(np.sum(bits * (2 * np.arange(bits.size, dtype=np.uint64) + 1), dtype=np.uint64))


def make_model(path):
    reader = gguf.GGUFReader(path)
    field = lambda key: reader.fields[key].contents()
    heads = {"attn_q": field("llama.attention.head_count"), "attn_k": field("llama.attention.head_count_kv")}
    tensors = []
    for tensor in reader.tensors:
        weight = np.atleast_2d(gguf.dequantize(tensor.data, tensor.tensor_type))
        for name, count in heads.items():
            if f".{name}." in tensor.name:
                weight = halves_of(weight, count)
        tensors.append({"name": tensor.name, "rows": weight.shape[0], "columns": weight.shape[1],
                        "type": tensor.tensor_type.name, "first_row_end": words(weight[0, -4:]),
                        "checksum": f"{checksum(weight):016x}"})
    config = {key: field(key) for key in reader.fields if key.startswith("llama.")}
    write("smollm2_weights.json", {"model": pathlib.Path(path).name, "config": config, "tensors": tensors})


if __name__ == "__main__":
    make_types()
    make_model(sys.argv[1] if len(sys.argv) > 1 else MODEL)
