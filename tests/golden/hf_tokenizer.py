"""The oracle of the tokenizer tests: Hugging Face's, as a model's folder has it or built from a GGUF's
own vocabulary and merges.

Its pre-tokenizer is spelled out here. The conversion in `transformers` leaves out the digit split,
and so goes wrong where two spaces stand before a digit.
"""
import json
import pathlib

import gguf
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

CONTROL = 3  # GGUF's kinds of tokens
USER_DEFINED = 4


def field(reader, key):
    return reader.fields[key].contents()


def read_tokenizer(reader: gguf.GGUFReader) -> Tokenizer:
    kind = field(reader, "tokenizer.ggml.model"), field(reader, "tokenizer.ggml.pre")
    if kind != ("gpt2", "smollm"):
        raise SystemExit(f"the tokenizer is {kind}; this oracle knows ('gpt2', 'smollm')")
    tokens = field(reader, "tokenizer.ggml.tokens")
    merges = [tuple(merge.split(" ")) for merge in field(reader, "tokenizer.ggml.merges")]
    tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])
    tokenizer.decoder = decoders.ByteLevel()
    kinds = field(reader, "tokenizer.ggml.token_type")
    written = lambda wanted: [AddedToken(token, special=wanted == CONTROL, normalized=False)
                              for token, kind in zip(tokens, kinds) if kind == wanted]
    tokenizer.add_special_tokens(written(CONTROL))
    tokenizer.add_tokens(written(USER_DEFINED))
    return tokenizer


def read_model(path):
    """The oracle of a GGUF file or a folder, its special tokens as written, and its chat template or None."""
    path = pathlib.Path(path)
    if path.is_dir():
        content = json.loads((path / "tokenizer.json").read_text())
        special = [added["content"] for added in content["added_tokens"] if added["special"]]
        return Tokenizer.from_file(str(path / "tokenizer.json")), special, None
    reader = gguf.GGUFReader(path)
    kinds = zip(field(reader, "tokenizer.ggml.tokens"), field(reader, "tokenizer.ggml.token_type"))
    special = [token for token, kind in kinds if kind == CONTROL]
    return read_tokenizer(reader), special, field(reader, "tokenizer.chat_template")
