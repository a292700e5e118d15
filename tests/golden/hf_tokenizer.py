"""The oracle of the tokenizer tests: Hugging Face's, built from a GGUF's own vocabulary and merges.

Its pre-tokenizer is spelled out here. The conversion in `transformers` leaves out the digit split,
and so goes wrong where two spaces stand before a digit.
"""
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
