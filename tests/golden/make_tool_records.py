#!/usr/bin/env python3
"""Writes tool_records.json: what transformers' apply_chat_template writes of conversations with tools, before each
answer, by two templates of our own. Needs: transformers, jinja2, tokenizers."""
import json
import pathlib
from importlib.metadata import version

from tokenizers import Tokenizer, models
from transformers import PreTrainedTokenizerFast

# Calls as JSON, tools as a list, as Qwen's and Hermes' kin write them.
LISTED = """\
{%- if tools %}<|im_start|>system
{% for tool in tools %}{{ tool | tojson }}
{% endfor %}<|im_end|>
{% endif %}
{%- for m in messages %}<|im_start|>{{ m.role }}
{%- if m.content %}
{{ m.content }}{% endif %}
{%- for call in m.tool_calls or [] %}
<tool_call>{"name": {{ call.function.name | tojson }}, "arguments": {{ call.function.arguments | tojson }}}</tool_call>
{%- endfor %}<|im_end|>
{% endfor %}
{%- if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""

# Tells a null content from an empty and a missing one, and uses other keys of messages.
PICKY = """\
{%- for m in messages %}<|im_start|>{{ m.role }} {{ loop.index }}
{%- if m.content is not defined %} missing{% elif m.content is none %} none{% else %} {{ m.content|length }}:{{ m.content }}{% endif %}
{%- for key, value in m.items() if key not in ['role', 'content'] %} {{ key }}={{ value | tojson(indent=1) }}{% endfor %}<|im_end|>
{% endfor %}
{%- if tools is not none %}{{ tools | map(attribute='function.name') | join(', ') }}{% endif %}
{%- if add_generation_prompt %}<|im_start|>assistant{% endif %}"""

WEATHER = {"type": "function", "function": {"name": "weather", "description": "Weather of a place, <now> & \"here\"", "parameters": {
    "type": "object", "required": ["place"], "properties": {
        "place": {"type": "string"}, "days": {"type": "array", "items": {"anyOf": [{"type": "integer", "minimum": 0}, {"enum": ["tomorrow", None, 1.5]}]}}}}}}


def call(name, arguments, **more):
    return {"id": "c1", "type": "function", "function": {"name": name, "arguments": arguments}, **more}


RECORDS = [
    # One call and what it said.
    {"tools": [WEATHER], "messages": [
        {"role": "user", "content": "Rain in Bern?"},
        {"role": "assistant", "content": None, "tool_calls": [call("weather", {"place": "Bern", "days": [0, 1]})]},
        {"role": "tool", "tool_call_id": "c1", "content": "{\"rain\": true} <|im_end|>"},
        {"role": "assistant", "content": "Yes."}]},
    # Words with a call, arguments as text, two rounds, two calls at once, and a second turn.
    {"tools": [WEATHER], "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "Sun in Ürzig?"},
        {"role": "assistant", "content": "I look.", "tool_calls": [call("weather", "{\"place\": \"Ürzig\"}"), call("weather", {})]},
        {"role": "tool", "name": "weather", "content": "no"},
        {"role": "tool", "name": "weather", "content": [{"type": "text", "text": "per"}, {"type": "text", "text": "haps"}]},
        {"role": "assistant", "reasoning": "Once more.", "name": None, "tool_calls": [call("weather", {"place": None})]},
        {"role": "tool", "content": ""},
        {"role": "assistant", "content": "Perhaps."},
        {"role": "user", "content": "Thanks"}]},
    # Tools that are not called.
    {"tools": [WEATHER, WEATHER], "messages": [{"role": "user", "content": "Hi"}]},
]


def joined(message):
    """Parts of text as one text, as our records are read."""
    if isinstance(message.get("content"), list):
        return {**message, "content": "".join(part["text"] for part in message["content"])}
    return message


def main():
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=Tokenizer(models.WordLevel({"x": 0}, unk_token="x")))
    known = []
    for name, template in (("listed", LISTED), ("picky", PICKY)):
        for record in RECORDS:
            messages = [joined(m) for m in record["messages"]]
            answered = [i for i, m in enumerate(messages) if m["role"] == "assistant" and not m.get("tool_calls")]
            if messages[-1]["role"] != "assistant":
                answered.append(len(messages))
            known.append({"template": name, "line": json.dumps(record, ensure_ascii=False), "before_answers": [
                tokenizer.apply_chat_template(messages[:i], tools=record["tools"], chat_template=template, tokenize=False,
                                              add_generation_prompt=True) for i in answered]})
    out = {"made_by": "tests/golden/make_tool_records.py, transformers " + version("transformers") + ", jinja2 " + version("jinja2"),
           "templates": {"listed": LISTED, "picky": PICKY}, "known": known}
    path = pathlib.Path(__file__).parent / "tool_records.json"
    path.write_text(json.dumps(out, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
