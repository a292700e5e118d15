"""The oracle of the tokenizer tests: Hugging Face's, as a model's folder has it or built from a GGUF's
own vocabulary.

Its pre-tokenizers are spelled out here. The conversion in `transformers` leaves out the digit split of
SmolLM, and so goes wrong where there are two spaces before a digit.
"""
import json
import pathlib

import gguf
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers

NORMAL, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE = range(1, 7)  # GGUF's kinds of tokens
MARK = "\u2581"  # what a vocabulary of characters stores for a space
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
          r"|\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace("{1,3}", "")
CONTRACTION = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?"
UPPER, LOWER = r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"
O200K = (rf"[^\r\n\p{{L}}\p{{N}}]?{UPPER}*{LOWER}+{CONTRACTION}|[^\r\n\p{{L}}\p{{N}}]?{UPPER}+{LOWER}*{CONTRACTION}"
         r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
BLOOM = r" ?[^(\s|[.,!?…。，、।۔،])]+"


def split_by(pattern):
    return pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(pattern), "isolated"),
                                    pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])


PRE_TOKENIZERS = {
    "smollm": pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True),
                                       pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)]),
    "gpt-2": pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True),
    "llama-bpe": split_by(LLAMA3),
    "qwen2": split_by(QWEN2),
    "gpt-4o": split_by(O200K),
    "bloom": split_by(BLOOM),
}
PIECE_DECODER = {"type": "Sequence", "decoders": [
    {"type": "Replace", "pattern": {"String": MARK}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"},
    {"type": "Strip", "content": " ", "start": 1, "stop": 0}]}


def merges_of_scores(tokens, scores):
    """The merges that do what the scores say, but for ties: the best piece first, however it is made."""
    ids = {token: i for i, token in enumerate(tokens)}
    merges = []
    for token, score in zip(tokens, scores):
        halves = [(token[:i], token[i:]) for i in range(1, len(token)) if token[:i] in ids and token[i:] in ids]
        merges += [(-score, half) for half in sorted(halves, key=lambda half: (ids[half[0]], ids[half[1]]))]
    return [half for _, half in sorted(merges, key=lambda merge: merge[0])]


def field(reader, key, default=None):
    return reader.fields[key].contents() if key in reader.fields else default


def byte_level(reader, tokens):
    pre = field(reader, "tokenizer.ggml.pre")
    if pre not in PRE_TOKENIZERS:
        raise SystemExit(f"the pre-tokenizer is {pre}; this oracle knows {', '.join(PRE_TOKENIZERS)}")
    merges = [tuple(merge.split(" ")) for merge in field(reader, "tokenizer.ggml.merges")]
    tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, merges, ignore_merges=pre == "llama-bpe"))
    tokenizer.pre_tokenizer = PRE_TOKENIZERS[pre]
    tokenizer.decoder = decoders.ByteLevel()
    if pre == "qwen2":
        tokenizer.normalizer = normalizers.NFC()
    return tokenizer


def of_pieces(reader, tokens):
    """As Hugging Face has Llama 2's."""
    merges = merges_of_scores(tokens, field(reader, "tokenizer.ggml.scores"))
    unknown = tokens[field(reader, "tokenizer.ggml.unknown_token_id", 0)]
    tokenizer = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, merges, unk_token=unknown, fuse_unk=True,
                                     byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend(MARK), normalizers.Replace(" ", MARK)])
    tokenizer.decoder = decoders.Sequence([decoders.Replace(MARK, " "), decoders.ByteFallback(), decoders.Fuse(),
                                           decoders.Strip(" ", 1, 0)])
    return tokenizer


def read_tokenizer(reader: gguf.GGUFReader) -> Tokenizer:
    tokens = field(reader, "tokenizer.ggml.tokens")
    kinds = field(reader, "tokenizer.ggml.token_type")
    tokenizer = (of_pieces if field(reader, "tokenizer.ggml.model") == "llama" else byte_level)(reader, tokens)
    # Phi-3's take the white space after them.
    phi3 = "phi3" in field(reader, "general.name", "").lower().replace("-", "")
    written = lambda wanted: [
        AddedToken(token, special=kind != USER_DEFINED, normalized=False,
                   rstrip=phi3 and kind != UNKNOWN and token not in ("<s>", "<|endoftext|>"))
        for token, kind in zip(tokens, kinds) if kind in wanted]
    tokenizer.add_special_tokens(written((CONTROL, UNKNOWN)))
    tokenizer.add_tokens(written((USER_DEFINED,)))
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
