#!/usr/bin/env python3
"""Makes hf/*: tiny Hugging Face folders of random weights, and hf_folders.json: what transformers and
tokenizers make of a few texts with them.

Needs: tokenizers, torch, transformers. Usage: make_hf_folders.py [NAME...]
With names: only these are made, the others stay as they are.
Per folder: token ids of the texts; logits in float32 of every third position of one of them, counted
from its last; its greedy continuation.
"""
import json
import os
import pathlib
import shutil
import sys
from importlib.metadata import version

os.environ["HF_HUB_OFFLINE"] = "1"
import torch
from safetensors.torch import load_file, save_file
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (AutoModelForCausalLM, BloomConfig, BloomForCausalLM, Gemma2Config, Gemma2ForCausalLM,
                          Gemma3ForCausalLM, Gemma3TextConfig, GPTBigCodeConfig, GPTBigCodeForCausalLM, GptOssConfig,
                          GptOssForCausalLM, GraniteConfig, GraniteForCausalLM, LlamaConfig, LlamaForCausalLM, MistralConfig, MistralForCausalLM,
                          MixtralConfig, MixtralForCausalLM, Mxfp4Config,
                          OPTConfig, OPTForCausalLM, Phi3Config, Phi3ForCausalLM, Qwen2Config, Qwen2ForCausalLM,
                          Qwen3Config, Qwen3ForCausalLM, Qwen3MoeConfig, Qwen3MoeForCausalLM, SmolLM3Config, SmolLM3ForCausalLM)

from hf_tokenizer import PRE_TOKENIZERS

HERE = pathlib.Path(__file__).parent
PROMPTS = HERE.parent.parent / "configs" / "prompts" / "demo.jsonl"
VOCAB = 384
GREEDY = 24
TEXTS = ["Hello world, it's 12345 o'clock.", "a  b\n\n  c\t1 22 333 4444\r\n", "I'M SURE we'LL see\u00a0the\u3000end \U0001f44d\U0001f3fd",
         "def f(x):\n    return x ** 2  # \u00bd and \u0663\n", "<|start|>user<|end|> <|start|",
         "caf\u0065\u0301 A\u030a \u212b \u1112\u1161\u11ab \ufb01"]

TOKENS = dict(bos_token_id=0, eos_token_id=1, pad_token_id=1)  # some configurations' own are beyond the vocabulary


def make_piece_tokenizer():
    """As Gemma's: characters that are merged within whole texts, tokens for bytes, spaces as marks."""
    turns = [turn for line in PROMPTS.read_text().splitlines() for turn in json.loads(line)["turns"]]
    trained = Tokenizer(models.BPE())
    trained.normalizer = normalizers.Replace(" ", "\u2581")
    trained.train_from_iterator(turns, trainers.BpeTrainer(vocab_size=110, show_progress=False))
    parts = json.loads(trained.to_str())["model"]
    start = ["<|start|>", "<|end|>", "<unk>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    vocab = {piece: token for token, piece in enumerate(start + list(parts["vocab"]))}
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=[tuple(merge) for merge in parts["merges"]], unk_token="<unk>",
                                     fuse_unk=True, byte_fallback=True))
    tokenizer.normalizer = normalizers.Replace(" ", "\u2581")
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", "merged_with_previous")
    tokenizer.decoder = decoders.Sequence([decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse()])
    tokenizer.add_special_tokens(start[:3])
    tokenizer.add_tokens([AddedToken("<tag>", special=False, normalized=False)])
    tokenizer.post_processor = processors.TemplateProcessing(single="<|start|> $A", special_tokens=[("<|start|>", 0)])
    return tokenizer


def make_tokenizer(pre, bos, ignore_merges):
    if pre == "gemma":
        return make_piece_tokenizer()
    tokenizer = Tokenizer(models.BPE(ignore_merges=ignore_merges))
    tokenizer.pre_tokenizer = PRE_TOKENIZERS[pre]
    tokenizer.decoder = decoders.ByteLevel()
    if pre == "qwen2":
        tokenizer.normalizer = normalizers.NFC()
    turns = [turn for line in PROMPTS.read_text().splitlines() for turn in json.loads(line)["turns"]]
    tokenizer.train_from_iterator(turns, trainers.BpeTrainer(
        vocab_size=VOCAB - 8, special_tokens=["<|start|>", "<|end|>"], show_progress=False,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet()))
    tokenizer.add_tokens([AddedToken("<tag>", special=False, normalized=False)])
    if bos:
        tokenizer.post_processor = processors.TemplateProcessing(
            single="<|start|> $A", special_tokens=[("<|start|>", tokenizer.token_to_id("<|start|>"))])
    return tokenizer


def recipe_of(model, dtype, pre, bos=False, ignore_merges=False, shard="1GB", mxfp4=False):
    """How a folder is made. @param shard  the largest file of weights @param mxfp4  its experts are blocks of four bits"""
    return dict(model=model, dtype=dtype, pre=pre, bos=bos, ignore_merges=ignore_merges, shard=shard, mxfp4=mxfp4)


def gpt_oss(layers, experts):
    """Windows in every other layer; an activation whose limit is often reached; a ramp of YaRN between whole indices."""
    return GptOssForCausalLM(GptOssConfig(
        vocab_size=VOCAB, hidden_size=64, intermediate_size=32, num_hidden_layers=layers, num_attention_heads=4,
        num_key_value_heads=2, head_dim=16, max_position_embeddings=400, num_local_experts=experts, num_experts_per_tok=2,
        sliding_window=6, swiglu_alpha=1.5, swiglu_limit=1.2,
        rope_parameters={"rope_type": "yarn", "rope_theta": 500.0, "factor": 4.0, "beta_fast": 32.0, "beta_slow": 1.0,
                         "truncate": False, "original_max_position_embeddings": 100}, **TOKENS))


def quantise_experts(folder):
    """Random blocks in place of the experts' matrices, as the publisher of gpt-oss has them."""
    path = folder / "model.safetensors"
    weights = load_file(path)
    for name in [name for name in weights if name.endswith(("gate_up_proj", "down_proj"))]:
        experts, columns, rows = weights.pop(name).shape
        weights[name + "_blocks"] = torch.randint(0, 256, (experts, rows, columns // 32, 16), dtype=torch.uint8)
        weights[name + "_scales"] = torch.randint(121, 125, (experts, rows, columns // 32), dtype=torch.uint8)
    save_file(weights, path, metadata={"format": "pt"})
    config = json.loads((folder / "config.json").read_text())
    config["quantization_config"] = {
        "quant_method": "mxfp4",
        "modules_to_not_convert": ["model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"]}
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")


FOLDERS = {
    "llama_tied": recipe_of(
        model=lambda: LlamaForCausalLM(LlamaConfig(
            vocab_size=VOCAB, hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=2,
            num_key_value_heads=1, max_position_embeddings=512, rope_theta=50000.0, tie_word_embeddings=True)),
        dtype=torch.float32, pre="smollm"),
    "llama_sharded": recipe_of(
        model=lambda: LlamaForCausalLM(LlamaConfig(
            vocab_size=VOCAB, hidden_size=96, intermediate_size=64, num_hidden_layers=3, num_attention_heads=4,
            num_key_value_heads=2, head_dim=32, max_position_embeddings=256, rms_norm_eps=1e-5)),
        dtype=torch.bfloat16, pre="llama-bpe", bos=True, ignore_merges=True, shard="100KB"),
    "mistral": recipe_of(
        model=lambda: MistralForCausalLM(MistralConfig(
            vocab_size=VOCAB, hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=2,
            num_key_value_heads=2, max_position_embeddings=512, sliding_window=300)),
        dtype=torch.float16, pre="gpt-2"),
    "llama3_scaled": recipe_of(
        model=lambda: LlamaForCausalLM(LlamaConfig(
            vocab_size=VOCAB, hidden_size=64, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
            num_key_value_heads=2, max_position_embeddings=512, tie_word_embeddings=True,
            rope_parameters={"rope_type": "llama3", "rope_theta": 500.0, "factor": 8.0, "low_freq_factor": 1.0,
                             "high_freq_factor": 4.0, "original_max_position_embeddings": 64})),
        dtype=torch.bfloat16, pre="llama-bpe", bos=True, ignore_merges=True),
    "llama_linear": recipe_of(
        model=lambda: LlamaForCausalLM(LlamaConfig(
            vocab_size=VOCAB, hidden_size=64, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2,
            num_key_value_heads=1, max_position_embeddings=512, tie_word_embeddings=True,
            rope_parameters={"rope_type": "linear", "rope_theta": 10000.0, "factor": 4.0})),
        dtype=torch.bfloat16, pre="gpt-2"),
    "qwen2": recipe_of(
        model=lambda: Qwen2ForCausalLM(Qwen2Config(
            vocab_size=VOCAB, hidden_size=96, intermediate_size=64, num_hidden_layers=2, num_attention_heads=3,
            num_key_value_heads=1, max_position_embeddings=512, tie_word_embeddings=True)),
        dtype=torch.bfloat16, pre="qwen2"),
    "qwen3": recipe_of(
        model=lambda: Qwen3ForCausalLM(Qwen3Config(
            vocab_size=VOCAB, hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4,
            num_key_value_heads=2, head_dim=32, max_position_embeddings=512, tie_word_embeddings=False)),
        dtype=torch.float16, pre="qwen2"),
    "mistral_window": recipe_of(
        model=lambda: MistralForCausalLM(MistralConfig(
            vocab_size=VOCAB, hidden_size=64, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
            num_key_value_heads=1, max_position_embeddings=512, sliding_window=5, tie_word_embeddings=True)),
        dtype=torch.bfloat16, pre="gpt-2"),
    "qwen2_window": recipe_of(
        model=lambda: Qwen2ForCausalLM(Qwen2Config(
            vocab_size=VOCAB, hidden_size=64, intermediate_size=64, num_hidden_layers=3, num_attention_heads=2,
            num_key_value_heads=1, max_position_embeddings=512, use_sliding_window=True, sliding_window=8,
            max_window_layers=1, tie_word_embeddings=True)),
        dtype=torch.bfloat16, pre="qwen2"),
    "phi3": recipe_of(
        model=lambda: Phi3ForCausalLM(Phi3Config(
            vocab_size=VOCAB, hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=2,
            num_key_value_heads=2, max_position_embeddings=512, original_max_position_embeddings=512,
            sliding_window=7, tie_word_embeddings=False, **TOKENS)),
        dtype=torch.bfloat16, pre="gpt-2"),
    "phi3_partial": recipe_of(
        model=lambda: Phi3ForCausalLM(Phi3Config(
            vocab_size=VOCAB, hidden_size=128, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
            num_key_value_heads=2, max_position_embeddings=512, original_max_position_embeddings=512,
            rope_parameters={"rope_type": "default", "rope_theta": 500.0, "partial_rotary_factor": 0.5},
            tie_word_embeddings=True, **TOKENS)),
        dtype=torch.bfloat16, pre="gpt-2"),
    "phi3_longrope": recipe_of(
        model=lambda: Phi3ForCausalLM(Phi3Config(
            vocab_size=VOCAB, hidden_size=128, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
            num_key_value_heads=1, max_position_embeddings=1024, original_max_position_embeddings=128,
            rope_parameters={"rope_type": "longrope", "rope_theta": 500.0,
                             "short_factor": [1.0 + i / 20 for i in range(16)],
                             "long_factor": [1.0 + i for i in range(16)]},
            tie_word_embeddings=True, **TOKENS)),
        dtype=torch.float16, pre="gpt-2"),
    "opt": recipe_of(
        model=lambda: OPTForCausalLM(OPTConfig(
            vocab_size=VOCAB, hidden_size=64, ffn_dim=96, num_hidden_layers=2, num_attention_heads=2,
            max_position_embeddings=160, **TOKENS)),
        dtype=torch.bfloat16, pre="gpt-2", bos=True),
    "opt_untied": recipe_of(
        model=lambda: OPTForCausalLM(OPTConfig(
            vocab_size=VOCAB, hidden_size=96, ffn_dim=64, num_hidden_layers=1, num_attention_heads=3,
            max_position_embeddings=144, activation_function="gelu", tie_word_embeddings=False, **TOKENS)),
        dtype=torch.float16, pre="gpt-2", bos=True),
    "bloom": recipe_of(
        model=lambda: BloomForCausalLM(BloomConfig(
            vocab_size=VOCAB, hidden_size=64, n_layer=2, n_head=2, **TOKENS)),
        dtype=torch.bfloat16, pre="bloom"),
    "bloom_three_heads": recipe_of(
        model=lambda: BloomForCausalLM(BloomConfig(
            vocab_size=VOCAB, hidden_size=96, n_layer=1, n_head=3, tie_word_embeddings=False, **TOKENS)),
        dtype=torch.float16, pre="bloom"),
    "gpt_bigcode": recipe_of(
        model=lambda: GPTBigCodeForCausalLM(GPTBigCodeConfig(
            vocab_size=VOCAB, n_embd=64, n_inner=96, n_layer=2, n_head=2, n_positions=160, **TOKENS)),
        dtype=torch.bfloat16, pre="smollm"),
    "gpt_bigcode_gelu": recipe_of(
        model=lambda: GPTBigCodeForCausalLM(GPTBigCodeConfig(
            vocab_size=VOCAB, n_embd=96, n_inner=64, n_layer=1, n_head=3, n_positions=144,
            activation_function="gelu", tie_word_embeddings=False, **TOKENS)),
        dtype=torch.float16, pre="smollm"),
    # Heads whose width is an odd number of sixteens.
    "llama_heads_of_48": recipe_of(
        model=lambda: LlamaForCausalLM(LlamaConfig(
            vocab_size=VOCAB, hidden_size=64, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4,
            num_key_value_heads=2, head_dim=48, max_position_embeddings=512, tie_word_embeddings=True)),
        dtype=torch.bfloat16, pre="llama-bpe", bos=True, ignore_merges=True),
    "qwen3_heads_of_80": recipe_of(
        model=lambda: Qwen3ForCausalLM(Qwen3Config(
            vocab_size=VOCAB, hidden_size=64, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
            num_key_value_heads=1, head_dim=80, max_position_embeddings=512, tie_word_embeddings=True)),
        dtype=torch.float16, pre="qwen2"),
    "phi3_heads_of_80": recipe_of(
        model=lambda: Phi3ForCausalLM(Phi3Config(
            vocab_size=VOCAB, hidden_size=160, intermediate_size=64, num_hidden_layers=1, num_attention_heads=2,
            num_key_value_heads=2, max_position_embeddings=512, original_max_position_embeddings=512,
            rope_parameters={"rope_type": "default", "rope_theta": 500.0, "partial_rotary_factor": 0.25},
            tie_word_embeddings=True, **TOKENS)),
        dtype=torch.bfloat16, pre="gpt-2"),
    "opt_heads_of_80": recipe_of(
        model=lambda: OPTForCausalLM(OPTConfig(
            vocab_size=VOCAB, hidden_size=160, ffn_dim=64, num_hidden_layers=1, num_attention_heads=2,
            max_position_embeddings=144, **TOKENS)),
        dtype=torch.float16, pre="gpt-2", bos=True),
    "bloom_heads_of_16": recipe_of(
        model=lambda: BloomForCausalLM(BloomConfig(
            vocab_size=VOCAB, hidden_size=64, n_layer=2, n_head=4, **TOKENS)),
        dtype=torch.bfloat16, pre="bloom"),
    "bloom_heads_of_80": recipe_of(
        model=lambda: BloomForCausalLM(BloomConfig(
            vocab_size=VOCAB, hidden_size=160, n_layer=1, n_head=2, **TOKENS)),
        dtype=torch.float16, pre="bloom"),
    # Windows in every other layer, soft bounds small enough to matter, heads wider than their part of the width.
    "gemma2": recipe_of(
        model=lambda: Gemma2ForCausalLM(Gemma2Config(
            vocab_size=VOCAB, hidden_size=64, intermediate_size=32, num_hidden_layers=2, num_attention_heads=4,
            num_key_value_heads=2, head_dim=32, max_position_embeddings=512, query_pre_attn_scalar=24, sliding_window=6,
            attn_logit_softcapping=5.0, final_logit_softcapping=8.0, **TOKENS)),
        dtype=torch.bfloat16, pre="gemma"),
    "gemma3": recipe_of(
        model=lambda: Gemma3ForCausalLM(Gemma3TextConfig(
            vocab_size=VOCAB, hidden_size=64, intermediate_size=32, num_hidden_layers=3, num_attention_heads=2,
            num_key_value_heads=1, head_dim=48, max_position_embeddings=512, query_pre_attn_scalar=48, sliding_window=6,
            sliding_window_pattern=3,
            rope_parameters={"full_attention": {"rope_type": "linear", "rope_theta": 5000.0, "factor": 4.0},
                             "sliding_attention": {"rope_type": "default", "rope_theta": 100.0}}, **TOKENS)),
        dtype=torch.bfloat16, pre="gemma"),
    "smollm3": recipe_of(
        model=lambda: SmolLM3ForCausalLM(SmolLM3Config(
            vocab_size=VOCAB, hidden_size=64, intermediate_size=32, num_hidden_layers=4, num_attention_heads=2,
            num_key_value_heads=1, max_position_embeddings=512,
            rope_parameters={"rope_type": "default", "rope_theta": 500.0}, **TOKENS)),
        dtype=torch.bfloat16, pre="llama-bpe", ignore_merges=True),
    "granite": recipe_of(
        model=lambda: GraniteForCausalLM(GraniteConfig(
            vocab_size=VOCAB, hidden_size=64, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2,
            num_key_value_heads=1, max_position_embeddings=512, tie_word_embeddings=True, embedding_multiplier=6.0,
            attention_multiplier=0.125, residual_multiplier=0.25, logits_scaling=4.0, **TOKENS)),
        dtype=torch.bfloat16, pre="gpt-2"),
    "qwen2_yarn": recipe_of(
        model=lambda: Qwen2ForCausalLM(Qwen2Config(
            vocab_size=VOCAB, hidden_size=64, intermediate_size=64, num_hidden_layers=2, num_attention_heads=1,
            num_key_value_heads=1, max_position_embeddings=64, tie_word_embeddings=True,
            rope_parameters={"rope_type": "yarn", "rope_theta": 500.0, "factor": 4.0,
                             "original_max_position_embeddings": 64})),
        dtype=torch.bfloat16, pre="qwen2"),
    # As Phi-4-mini: LongRoPE over a part of each head.
    "phi3_partial_longrope": recipe_of(
        model=lambda: Phi3ForCausalLM(Phi3Config(
            vocab_size=VOCAB, hidden_size=64, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
            num_key_value_heads=1, max_position_embeddings=512, original_max_position_embeddings=128,
            rope_parameters={"rope_type": "longrope", "rope_theta": 500.0, "partial_rotary_factor": 0.75,
                             "short_factor": [1.0 + i / 8 for i in range(12)],
                             "long_factor": [1.0 + i for i in range(12)]},
            tie_word_embeddings=True, **TOKENS)),
        dtype=torch.bfloat16, pre="gpt-2"),
    "mixtral": recipe_of(
        model=lambda: MixtralForCausalLM(MixtralConfig(
            vocab_size=VOCAB, hidden_size=64, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2,
            num_key_value_heads=1, max_position_embeddings=512, num_local_experts=4, num_experts_per_tok=2,
            tie_word_embeddings=True, **TOKENS)),
        dtype=torch.bfloat16, pre="gpt-2"),
    "qwen3_moe": recipe_of(
        model=lambda: Qwen3MoeForCausalLM(Qwen3MoeConfig(
            vocab_size=VOCAB, hidden_size=64, intermediate_size=96, moe_intermediate_size=32, num_hidden_layers=2,
            num_attention_heads=2, num_key_value_heads=1, head_dim=32, max_position_embeddings=512, num_experts=6,
            num_experts_per_tok=3, norm_topk_prob=True, tie_word_embeddings=True, **TOKENS)),
        dtype=torch.bfloat16, pre="qwen2"),
    # The shares of a row's experts do not sum to one.
    "qwen3_moe_shares": recipe_of(
        model=lambda: Qwen3MoeForCausalLM(Qwen3MoeConfig(
            vocab_size=VOCAB, hidden_size=64, intermediate_size=96, moe_intermediate_size=32, num_hidden_layers=1,
            num_attention_heads=2, num_key_value_heads=1, head_dim=32, max_position_embeddings=512, num_experts=5,
            num_experts_per_tok=1, norm_topk_prob=False, tie_word_embeddings=True, **TOKENS)),
        dtype=torch.bfloat16, pre="qwen2"),
    "gpt_oss": recipe_of(model=lambda: gpt_oss(layers=2, experts=4), dtype=torch.bfloat16, pre="gpt-4o"),
    "gpt_oss_mxfp4": recipe_of(model=lambda: gpt_oss(layers=1, experts=3), dtype=torch.bfloat16, pre="gpt-4o", mxfp4=True),
}


def make_folder(name, recipe, seed):
    folder = HERE / "hf" / name
    shutil.rmtree(folder, ignore_errors=True)
    torch.manual_seed(seed)
    model = recipe["model"]()
    with torch.no_grad():  # livelier than the usual initialisation, so that errors show
        for parameter in model.parameters():
            if parameter.dim() >= 2:
                parameter.normal_(0, 1.5 / parameter.shape[-1] ** 0.5)
            else:
                parameter.uniform_(0.5, 1.5)
    model = model.to(recipe["dtype"]).eval()
    tokenizer = make_tokenizer(recipe["pre"], recipe["bos"], recipe["ignore_merges"])
    end = tokenizer.token_to_id("<|end|>")
    model.config.eos_token_id = end
    model.generation_config.eos_token_id = [end, tokenizer.token_to_id("<tag>")]
    model.save_pretrained(folder, max_shard_size=recipe["shard"])
    if recipe["mxfp4"]:
        quantise_experts(folder)
    tokenizer.save(str(folder / "tokenizer.json"))

    texts = [tokenizer.encode(text).ids for text in TEXTS]
    # Read anew: buffers of a model that was float16 once keep what that cost them.
    blocks = dict(quantization_config=Mxfp4Config(dequantize=True)) if recipe["mxfp4"] else {}
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, **blocks).float().eval()
    rows = list(range(len(texts[0]) - 1, -1, -3))
    with torch.no_grad():
        logits = model(torch.tensor([texts[0]])).logits[0][rows]
        ids = list(texts[0])
        for _ in range(GREEDY):
            ids.append(int(model(torch.tensor([ids])).logits[0, -1].argmax()))
    long = {}
    if "longrope" in name:  # beyond the original context, where every token is rotated in another way
        text = [i * 7 % 300 + 5 for i in range(model.config.original_max_position_embeddings + 3)]
        with torch.no_grad():
            long["beyond"] = [[round(x, 5) for x in row] for row in model(torch.tensor([text])).logits[0][[1, -1]].tolist()]
    return {**long, "name": name, "texts": [{"text": text, "tokens": ids} for text, ids in zip(TEXTS, texts)],
            "logit_rows": rows, "logits": [[round(x, 5) for x in row] for row in logits.tolist()],
            "greedy": ids[len(texts[0]):]}


def main():
    path = HERE / "hf_folders.json"
    chosen = sys.argv[1:] or list(FOLDERS)
    made = {folder["name"]: folder for folder in json.loads(path.read_text())["folders"]}
    for seed, (name, recipe) in enumerate(FOLDERS.items()):
        if name in chosen:
            made[name] = make_folder(name, recipe, seed)
    content = {"made_by": "make_hf_folders.py",
               "versions": {name: version(name) for name in ("torch", "transformers", "tokenizers")},
               "folders": [made[name] for name in FOLDERS]}
    path.write_text(json.dumps(content, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
