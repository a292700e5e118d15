#!/usr/bin/env python3
"""Writes chat.json: what jinja2 renders of the chat templates that we know.

Usage: make_chat.py FOLDER [--model MODEL.gguf] [--check]
FOLDER holds original templates, NAME.jinja each, as models carry them (they are not in the repository).
The default model's own is added, and FastChat's rule for Vicuna, which has no template. --check writes
nothing. A template whose hash is not in runtime/chat/known_templates.cc is named with its hash; the exit
status is then 1. Needs: jinja2, gguf.
"""
import argparse
import json
import pathlib
import re
from importlib.metadata import version

import gguf
import jinja2
import jinja2.sandbox

from hf_tokenizer import field

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
MODEL = ROOT / "models" / "SmolLM2-135M-Instruct.Q4_1.gguf"
BOS, EOS = "<s>", "</s>"

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

# For the test that both programs see the same normal form.
FORMS = [
    "{{ 'a' }}\n", "{%- if  x  -%}\n  {{ \"it's\" + 'a\\nb' }} {%- endif %}\n\ntext  here\n",
    "{% for m in messages %}\n{{m [ 'role' ]|trim}}\n{% endfor %}{# a  note #}", "{{ \"say \\\"x\\\"\" + 'a\\\\n' }}",
]

SPACE = " \t\n\v\f\r"


class Normaliser:
    """The twin of runtime/chat/chat_template.cc."""

    def __init__(self, jinja):
        self.rest = jinja[:-1] if jinja.endswith("\n") else jinja
        self.out = ""

    def run(self):
        while self.rest:
            if self.rest.startswith(("{%", "{{")):
                self.tag()
            else:
                self.out += self.take()
        return self.out

    def take(self):
        c, self.rest = self.rest[0], self.rest[1:]
        return c

    def literal(self, quote):
        self.out += "'"
        while self.rest and self.rest[0] != quote:
            c = self.take()
            if c == "\\" and self.rest:
                escaped = self.take()
                if escaped == "n":
                    c = "\n"
                elif escaped in "'\"":
                    c = escaped
                else:
                    self.out += c
                    c = escaped
            self.out += "\\'" if c == "'" else c
        self.rest = self.rest[1:]
        self.out += "'"

    def tag(self):
        self.take()
        kind = self.take()
        if self.rest.startswith("-"):
            self.take()
            self.out = self.out.rstrip(SPACE)
        self.out += "{" + kind
        close = "}" if kind == "{" else kind
        while self.rest:
            if self.rest.startswith((close + "}", "-" + close + "}")):
                return self.end()
            c = self.take()
            if c in "'\"":
                self.literal(c)
            elif c not in SPACE:
                self.out += c
            elif re.match(r"[A-Za-z0-9_]", self.out[-1]):
                self.rest = self.rest.lstrip(SPACE)
                if re.match(r"[A-Za-z0-9_]", self.rest):
                    self.out += " "

    def end(self):
        dash = self.rest.startswith("-")
        if dash:
            self.take()
        statement = self.rest.startswith("%")
        self.out += self.take() + self.take()
        if dash:
            self.rest = self.rest.lstrip(SPACE)
        elif statement and self.rest.startswith("\n"):
            self.take()


def template_hash(jinja):
    value = 0xCBF29CE484222325
    for byte in Normaliser(jinja).run().encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"0x{value:016X}"


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
    parser.add_argument("--model", type=pathlib.Path, default=MODEL)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()

    known = set(re.findall(r"\{(0x[0-9A-F]{16}),", (ROOT / "runtime/chat/known_templates.cc").read_text()))
    # As transformers does, but without strftime_now: the dates of Llama 3.2 are then those of 3.1.
    environment = jinja2.sandbox.ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    environment.globals["raise_exception"] = refuse
    dialogues = [[{"role": role, "content": content} for role, content in dialogue] for dialogue in DIALOGUES]
    sources = {path.stem: path.read_bytes().decode() for path in sorted(arguments.folder.glob("*.jinja"))}
    sources["smollm2"] = field(gguf.GGUFReader(arguments.model), "tokenizer.chat_template")

    templates = []
    unknown = 0
    for name, source in [*sources.items(), ("vicuna", VICUNA)]:
        entry = {"name": name}
        if source is not VICUNA:
            entry["hash"] = template_hash(source)
            if entry["hash"] not in known:
                print(f"not known: {name} {entry['hash']}")
                unknown += 1
                continue
        template = environment.from_string(source)
        entry["rendered"] = [rendered(template, dialogue) for dialogue in dialogues]
        templates.append(entry)
    if not arguments.check:
        content = {"made_by": "make_chat.py",
                   "versions": {package: version(package) for package in ("jinja2", "gguf")},
                   "bos": BOS, "eos": EOS, "dialogues": dialogues, "templates": templates,
                   "forms": [{"jinja": form, "hash": template_hash(form)} for form in FORMS]}
        (HERE / "chat.json").write_text(json.dumps(content, indent=0) + "\n")
    print(f"{len(templates)} templates known, {unknown} not")
    return 1 if unknown else 0


if __name__ == "__main__":
    raise SystemExit(main())
