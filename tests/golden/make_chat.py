#!/usr/bin/env python3
"""Writes chat.json: what jinja2 renders of the chat templates that the named formats of `--chat` stand for.

Usage: make_chat.py FOLDER
FOLDER holds original templates, NAME.jinja each, as models carry them (they are not in the repository). Added
are FastChat's rule for Vicuna, which has no template, and the default model's own template. Needs: jinja2, gguf.
"""
import argparse
import json
import pathlib
from importlib.metadata import version

import gguf
import jinja2
import jinja2.sandbox

from hf_tokenizer import field

HERE = pathlib.Path(__file__).parent
MODEL = HERE.parent.parent / "models/SmolLM2-135M-Instruct.Q4_1.gguf"
BOS, EOS = "<s>", "</s>"

# The formats, with the templates that they stand for.
FORMATS = {
    "chatml": "chatml-defined",
    "llama-2": "codellama",
    "llama-3": "llama-3-always-opens",
    "llama-3.1": "llama-3.1",
    "mistral": "mistral-v1",
    "mistral-nemo": "mistral-nemo",
    "mistral-v3": "mistral-large-2407",
    "phi-3": "phi-3-mini",
    "qwen": "qwen2",
    "qwen2.5": "qwen2.5",
    "qwen3": "qwen3-0.6b",
    "zephyr": "zephyr",
    "vicuna": None,
}

# FastChat, conv_vicuna_v1: system, " ", then "USER: … ASSISTANT: …</s>" by turns.
VICUNA = """\
{%- if messages[0]['role'] == 'system' %}{{ messages[0]['content'] + ' ' }}
{%- else %}{{ 'A chat between a curious user and an artificial intelligence assistant. ' }}
{{- 'The assistant gives helpful, detailed, and polite answers to the user\\'s questions. ' }}{% endif %}
{%- for message in messages %}
{%- if message['role'] == 'user' %}{{ 'USER: ' + message['content'] + ' ' }}
{%- elif message['role'] == 'assistant' %}{{ 'ASSISTANT: ' + message['content'] + eos_token }}{% endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{ 'ASSISTANT:' }}{% endif %}"""

DIALOGUES = [
    [("user", "Hello")],
    [("system", "Be brief."), ("user", "Why is the sky blue?")],
    [("user", "One"), ("assistant", "Two"), ("user", "Three")],
    [("system", "You count."), ("user", "One"), ("assistant", "Two"), ("user", "Three"), ("assistant", "Four"),
     ("user", "Five")],
    [("system", " Ünïcode\nin lines "), ("user", " spaces kept \n"), ("assistant", ""),
     ("user", "'quoted' <|im_end|></s>[/INST] \"{{ x }}\"")],
    [("user", "\u00a0\u2003wide\u3000"), ("assistant", "\tkept \x1c"), ("user", "\x85x\u200b\u2029")],
    [("system", " "), ("user", "  "), ("assistant", "\n "), ("user", "x")],
    [("user", "2+2?"), ("assistant", "<think>\nEasy.\n</think>\n\n4"), ("user", "3+3?"),
     ("assistant", "<think>a</think><think>b</think>\n5"), ("user", "\n4+4?")],
]

class Refused(Exception):
    pass


def refuse(message):
    raise Refused(message)


def rendered(template, messages):
    """None where the template refuses the system message or leaves it out."""
    def render(given):
        return template.render(messages=given, add_generation_prompt=True, bos_token=BOS, eos_token=EOS)
    try:
        text = render(messages)
        if messages[0]["role"] == "system":
            other = [{"role": "system", "content": "another"}, *messages[1:]]
            if text == render(other):
                return None
        return text
    except Refused:
        return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()

    # As transformers does, but without strftime_now: the dates of Llama 3.2 are then those of 3.1.
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    environment.globals["raise_exception"] = refuse
    dialogues = [[{"role": role, "content": content} for role, content in dialogue] for dialogue in DIALOGUES]
    templates = []
    for form, name in FORMATS.items():
        source = VICUNA if name is None else (arguments.folder / f"{name}.jinja").read_bytes().decode()
        template = environment.from_string(source)
        templates.append({"name": name or form, "format": form,
                          "rendered": [rendered(template, dialogue) for dialogue in dialogues]})
    own = environment.from_string(field(gguf.GGUFReader(MODEL), "tokenizer.chat_template"))
    content = {"made_by": "make_chat.py", "versions": {package: version(package) for package in ("jinja2", "gguf")},
               "bos": BOS, "eos": EOS, "dialogues": dialogues, "templates": templates,
               "smollm2": [rendered(own, dialogue) for dialogue in dialogues]}
    (HERE / "chat.json").write_text(json.dumps(content, indent=0) + "\n")


if __name__ == "__main__":
    main()
