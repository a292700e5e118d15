#!/usr/bin/env python3
"""Writes piece_tokens.json: what SentencePiece and Hugging Face `tokenizers` make of texts with a small
vocabulary of characters, and that vocabulary.

Needs: sentencepiece, tokenizers. Usage: make_piece_tokens.py
"""
import io
import json
import pathlib
from importlib.metadata import version

import sentencepiece
from sentencepiece import sentencepiece_model_pb2
from tokenizers import Tokenizer

from hf_tokenizer import PIECE_DECODER, merges_of_scores
from random_strings import PIECES, SPACES, random_strings

HERE = pathlib.Path(__file__).parent
PROMPTS = HERE.parent.parent / "configs" / "prompts" / "demo.jsonl"
VOCAB = 700
TEXTS = [
    "", " ", "  ", "Hello, world!", " Hello  world ", "It's 1984; we'll say they've won.", "a  42 b\n\n  c\t1", "\n", "\n a",
    "naïve café — 東京 🎉", "e\u0301 A\u030a", "x" * 200, "ab" * 100, "=" * 100, "    def f(x):\n        return x ** 2\n",
    "\u2581a\u2581 \u2581", "<s>", "a<s>b", "a <s> b", "</s> <s>", "<day>", "Monday <day> x<day> <day>.", "<tool>a", "  <tool>  a",
    "a<tool>", "<end> \n a", " <end><end> ", "<unk>", "<0x41>", "éé", "é a è", "ΩΩ Ω", "中文 and 日本", "e\u0301e"]


def train():
    """A vocabulary as Llama 2's is made: byte fallback, digits by themselves, no normal form."""
    turns = [turn for line in PROMPTS.read_text().splitlines() for turn in json.loads(line)["turns"]]
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([line for turn in turns for line in turn.splitlines()]), model_writer=model, model_type="bpe",
        vocab_size=VOCAB, byte_fallback=True, character_coverage=0.999, split_digits=True, remove_extra_whitespaces=False,
        normalization_rule_name="identity", allow_whitespace_only_pieces=True, minloglevel=2)
    return model.getvalue()


def added(token, content, special=True, **rules):
    rules = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, **rules}
    return {"id": token, "content": content, **rules, "special": special}


PREPEND = {"type": "Prepend", "prepend": "\u2581"}
REPLACE = {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}
NO_STRIP = {"type": "Sequence", "decoders": PIECE_DECODER["decoders"][:3]}
CONTROL = [added(0, "<unk>"), added(1, "<s>"), added(2, "</s>")]
# None of them is found just as it is written.
RULED = [added(VOCAB, "<day>", special=False, single_word=True), added(VOCAB + 1, "<tool>", special=False, lstrip=True),
         added(VOCAB + 2, "<end>", rstrip=True)]
START = {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
         "pair": [{"Sequence": {"id": "A", "type_id": 0}}], "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}}


def metaspace(scheme, split):
    return {"type": "Metaspace", "replacement": "\u2581", "prepend_scheme": scheme, "split": split}


def file(normalizer, pre_tokenizer, decoder, added_tokens, start=None, **model):
    model = {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None, "end_of_word_suffix": None,
             "fuse_unk": True, "byte_fallback": True, "ignore_merges": False, **model}
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added_tokens, "normalizer": normalizer,
            "pre_tokenizer": pre_tokenizer, "post_processor": start, "decoder": decoder, "model": model}


def sequence(*steps):
    return {"type": "Sequence", "normalizers": list(steps)}


KINDS = {
    "prepend": (file(sequence(PREPEND, REPLACE), None, PIECE_DECODER, CONTROL, START), {}),
    "added": (file(sequence(PREPEND, REPLACE), None, PIECE_DECODER,
                   [{**token, "normalized": token["id"] in (1, VOCAB)} for token in CONTROL + RULED], START), {}),
    "first": (file(None, metaspace("first", False), PIECE_DECODER, CONTROL + RULED, START), {}),
    "always": (file(None, metaspace("always", True), metaspace("always", True), CONTROL + RULED), {}),
    "never": (file(REPLACE, metaspace("never", True), NO_STRIP, CONTROL, byte_fallback=False, fuse_unk=False), {}),
    # A byte that is no token, so that some characters stay unknown.
    "unknown": (file(sequence({"type": "NFC"}, REPLACE), None, NO_STRIP, CONTROL), {"<0xCE>": "<no byte>"}),
}


def cases(texts, encode, decode):
    ids = [encode(text) for text in texts]
    back = [decode(tokens) for tokens in ids]
    return {"tokens": [" ".join(map(str, tokens)) for tokens in ids],
            "decoded": {str(i): again for i, (text, again) in enumerate(zip(texts, back)) if text != again}}


def main():
    model = train()
    pieces = [[piece.piece, piece.score, piece.type] for piece in sentencepiece_model_pb2.ModelProto.FromString(model).pieces]
    vocab = {piece: i for i, (piece, _, _) in enumerate(pieces)}
    merges = merges_of_scores([piece for piece, _, _ in pieces], [score for _, score, _ in pieces])
    texts = [*TEXTS, *(f"a{space}b" for space in SPACES), *PIECES, *random_strings(60, ["<s>", "<day>", "<tool>", "<end>"], 11)]
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    made = []
    for name, (content, renamed) in KINDS.items():
        content["model"].update(vocab={renamed.get(token, token): i for token, i in vocab.items()}, merges=merges)
        tokenizer = Tokenizer.from_str(json.dumps(content))
        start = tokenizer.encode("").ids
        made.append({"name": name, "file": content, "renamed": renamed, "start": start,
                     **cases(texts, lambda text: tokenizer.encode(text, add_special_tokens=False).ids,
                             lambda ids: tokenizer.decode(ids, skip_special_tokens=False))})
        del content["model"]["vocab"], content["model"]["merges"]
    # SentencePiece takes no special token out of a text: with them the texts have no counterpart.
    plain = [text if "<" not in text else "" for text in texts]
    spoken = cases(plain, processor.encode, processor.decode)
    content = {"made_by": "make_piece_tokens.py",
               "versions": {package: version(package) for package in ("sentencepiece", "tokenizers")},
               "pieces": pieces, "vocab": vocab, "merges": merges, "texts": texts, "plain": plain, "sentencepiece": spoken,
               "tokenizers": made}
    (HERE / "piece_tokens.json").write_text(json.dumps(content, ensure_ascii=True, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
