#!/usr/bin/env python3
"""Writes templates.json: chat templates of our own, one for each construct of the language and some as models
have them, rendered by jinja2 as transformers sets it up; and expressions with their values.

    python3 tests/golden/make_templates.py            # needs pip's transformers and jinja2

null stands for what jinja2 refuses."""

import datetime
import json
import pathlib
from importlib.metadata import version

from transformers.utils import chat_template_utils

HERE = pathlib.Path(__file__).resolve().parent

NOW = datetime.datetime(2026, 2, 3, 4, 5, 6)

TOOLS = [{"type": "function", "function": {
    "name": "get_weather", "description": "The weather in a city, today's \"best\" guess.",
    "parameters": {"type": "object", "properties": {
        "city": {"type": "string", "description": "Zürich, 東京 …"},
        "unit": {"type": "string", "enum": ["°C", "°F"], "default": None},
        "days": {"type": ["integer", "null"], "minimum": 1, "maximum": 7.5}}, "required": ["city"]}}},
    {"type": "function", "function": {"name": "stop", "description": "", "parameters": {}}}]

CONVERSATIONS = [
    {"messages": [{"role": "user", "content": "Hello"}]},
    {"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why is the sky blue?"}],
     "add_generation_prompt": False},
    {"messages": [{"role": "user", "content": "One"}, {"role": "assistant", "content": "Two"},
                  {"role": "user", "content": "Three"}]},
    {"messages": [{"role": "system", "content": "  You count.\n"}, {"role": "user", "content": "One\n\n"},
                  {"role": "assistant", "content": "<think>\nIs it two?\n</think>\n\nTwo"},
                  {"role": "user", "content": " Three "}, {"role": "assistant", "content": ""},
                  {"role": "user", "content": "'quoted' <|im_end|></s>[/INST] \"{{ x }}\" {% y %}"}]},
    {"messages": [{"role": "user", "content": "Grüße, 東京! 👋🏽 \u00a0ß ŉ ǆ\u2028x"}], "enable_thinking": False},
    {"messages": [{"role": "user", "content": "Weather in Zürich?"},
                  {"role": "assistant", "content": "Let me look.", "tool_calls": [
                      {"id": "call_1", "type": "function",
                       "function": {"name": "get_weather", "arguments": {"city": "Zürich", "days": 2, "x": 1.0}}},
                      {"id": "call_2", "type": "function", "function": {"name": "stop", "arguments": {}}}]},
                  {"role": "tool", "tool_call_id": "call_1", "name": "get_weather", "content": "{\"t\": 7}"},
                  {"role": "tool", "tool_call_id": "call_2", "name": "stop", "content": "<done>"},
                  {"role": "user", "content": "Thanks"}], "tools": TOOLS},
    {"messages": [{"role": "system", "content": ""}, {"role": "user", "content": "x"},
                  {"role": "assistant", "content": None, "tool_calls": [
                      {"type": "function", "function": {"name": "stop", "arguments": "{\"now\": true}"}}]}],
     "tools": TOOLS[1:], "add_generation_prompt": False},
    {"messages": [{"role": "user", "content": [{"type": "text", "text": "part one"},
                                               {"type": "text", "text": " and two"}]}]},
    {"messages": []},
]

CHATML = """{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"""

TEMPLATES = {
    "chatml": CHATML,
    "default system": """{% for message in messages %}
{% if loop.first and messages[0]['role'] != 'system' %}
{{ '<|im_start|>system\\nYou help.<|im_end|>\\n' }}
{% endif %}
{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}
{% endfor %}
""",
    "system in the first message": """{% if messages[0]['role'] == 'system' %}{% set loop_messages = messages[1:] %}{% set system_message = messages[0]['content'] %}{% else %}{% set loop_messages = messages %}{% set system_message = false %}{% endif %}{% for message in loop_messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Roles must alternate user/assistant') }}{% endif %}{% if loop.index0 == 0 and system_message != false %}{% set content = '<<SYS>>\\n' + system_message + '\\n<</SYS>>\\n\\n' + message['content'] %}{% else %}{% set content = message['content'] %}{% endif %}{% if message['role'] == 'user' %}{{ bos_token + '[INST] ' + content.strip() + ' [/INST]' }}{% elif message['role'] == 'assistant' %}{{ ' '  + content.strip() + ' ' + eos_token }}{% endif %}{% endfor %}""",
    "headers": """{{- bos_token }}
{%- for message in messages %}
    {{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' + message['content'] | trim + '<|eot_id|>' }}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
{%- endif %}""",
    "dates": """{%- if not date_string is defined %}
    {%- if strftime_now is defined %}
        {%- set date_string = strftime_now("%d %b %Y") %}
    {%- else %}
        {%- set date_string = "26 Jul 2024" %}
    {%- endif %}
{%- endif %}
Today: {{ date_string }}; {{ strftime_now('%Y-%m-%d %H:%M:%S %A %a %B %j %p %I %y %w %%') }}
""",
    "tools in json": """{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {%- if messages[0].role == 'system' %}
        {{- messages[0].content + '\\n\\n' }}
    {%- endif %}
    {{- "# Tools\\n<tools>" }}
    {%- for tool in tools %}
        {{- "\\n" }}
        {{- tool | tojson }}
    {%- endfor %}
    {{- "\\n</tools><|im_end|>\\n" }}
{%- endif %}
{%- for message in messages %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) or (message.role == "assistant" and not message.tool_calls) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- elif message.role == "assistant" %}
        {{- '<|im_start|>' + message.role }}
        {%- if message.content %}
            {{- '\\n' + message.content }}
        {%- endif %}
        {%- for tool_call in message.tool_calls %}
            {%- if tool_call.function is defined %}
                {%- set tool_call = tool_call.function %}
            {%- endif %}
            {{- '\\n<tool_call>\\n{"name": "' }}
            {{- tool_call.name }}
            {{- '", "arguments": ' }}
            {{- tool_call.arguments | tojson }}
            {{- '}\\n</tool_call>' }}
        {%- endfor %}
        {{- '<|im_end|>\\n' }}
    {%- elif message.role == "tool" %}
        {%- if (loop.index0 == 0) or (messages[loop.index0 - 1].role != "tool") %}
            {{- '<|im_start|>user' }}
        {%- endif %}
        {{- '\\n<tool_response>\\n' }}
        {{- message.content }}
        {{- '\\n</tool_response>' }}
        {%- if loop.last or (messages[loop.index0 + 1].role != "tool") %}
            {{- '<|im_end|>\\n' }}
        {%- endif %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
{%- endif %}""",
    "thinking": """{%- set ns = namespace(multi_step_tool=true, last_query_index=messages|length - 1) %}
{%- for message in messages[::-1] %}
    {%- set index = (messages|length - 1) - loop.index0 %}
    {%- if ns.multi_step_tool and message.role == "user" and message.content is string and not(message.content.startswith('<tool_response>') and message.content.endswith('</tool_response>')) %}
        {%- set ns.multi_step_tool = false %}
        {%- set ns.last_query_index = index %}
    {%- endif %}
{%- endfor %}
{%- for message in messages %}
    {%- if message.content is string %}
        {%- set content = message.content %}
    {%- else %}
        {%- set content = '' %}
    {%- endif %}
    {%- if message.role == "assistant" %}
        {%- set reasoning_content = '' %}
        {%- if message.reasoning_content is string %}
            {%- set reasoning_content = message.reasoning_content %}
        {%- elif '</think>' in content %}
            {%- set reasoning_content = content.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') %}
            {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
        {%- endif %}
        {%- if loop.index0 > ns.last_query_index and (loop.last or (not loop.last and reasoning_content)) %}
            {{- '<|im_start|>' + message.role + '\\n<think>\\n' + reasoning_content.strip('\\n') + '\\n</think>\\n\\n' + content.lstrip('\\n') }}
        {%- else %}
            {{- '<|im_start|>' + message.role + '\\n' + content }}
        {%- endif %}
        {{- '<|im_end|>\\n' }}
    {%- else %}
        {{- '<|im_start|>' + message.role + '\\n' + content + '<|im_end|>' + '\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
{%- endif %}""",
    "a macro that calls itself": """{%- macro type_of(schema, depth=0) -%}
  {%- if schema.type is string -%}
    {{ schema.type }}
    {%- if schema.enum is defined %} of {{ schema.enum|join(' | ') }}{% endif -%}
  {%- elif schema.type is iterable and schema.type is not mapping -%}
    {%- for one in schema.type -%}
      {{ one }}{% if not loop.last %} or {% endif %}
    {%- endfor -%}
  {%- else -%}any{%- endif -%}
  {%- if schema.properties -%}
    {{ ' {' }}
    {%- for name, inner in schema.properties.items() -%}
      {{ '\\n' ~ '  ' * (depth + 1) ~ name ~ ': ' ~ type_of(inner, depth=depth + 1) ~ ('' if loop.last else ',') }}
    {%- endfor -%}
    {{ '\\n' ~ '  ' * depth ~ '}' }}
  {%- endif -%}
{%- endmacro -%}
{%- for tool in tools or [] %}
{{ tool.function.name }}: {{ type_of(tool.function.parameters) }}
{% endfor %}""",
    "macros with all kinds of arguments": """{% macro f(a, b='B', c=b ~ '!') %}[{{ a }},{{ b }},{{ c }},{{ varargs|join('+') }},{{ kwargs|dictsort }}]{% endmacro -%}
{{ f(1) }} {{ f(1, 2) }} {{ f(1, c=3) }} {{ f(1, 2, 3, 4, 5) }} {{ f(b=1, d='x', a=0) }} {{ f(*[1, 2], **{'c': 9, 'z': 1}) }} {{ f() }}""",
    "too many arguments": "{% macro f(a) %}{{ a }}{% endmacro %}{{ f(1, 2) }}",
    "an argument that is unknown": "{% macro f(a) %}{{ a }}{% endmacro %}{{ f(b=2) }}",
    "call blocks": """{% macro dialog(title) %}<{{ title }}>{{ caller() }}</{{ title }}>{% endmacro %}
{% call dialog('a') %}body {{ messages|length }}{% endcall %}
{% macro each(items) %}{% for item in items %}{{ caller(item, loop.index) }};{% endfor %}{% endmacro %}
{% call(item, n) each(messages) %}{{ n }}={{ item.role }}{% endcall %}
{% macro plain() %}{{ caller is defined }}{% endmacro %}{{ plain() }}""",
    "filter blocks": """{% filter upper | replace('O', '0') %}hello {{ messages|length }}{% endfilter %}
{% filter indent(2, true) %}a
b

c{% endfilter %}""",
    "set blocks": """{% set text %}
x {{ messages|length }}
{% endset %}
{% set shout | upper | trim %} quiet {% endset %}
[{{ text }}][{{ shout }}]{% set a, b = 1, [2] %}{% set (c, d) = 'xy' %}{{ a }}{{ b }}{{ c }}{{ d }}""",
    "scopes": """{% set x = 'outer' %}
{% for i in [1, 2] %}{{ x }}{% set x = i %}{{ x }};{% endfor %}{{ x }}
{% if true %}{% set x = 'if' %}{% endif %}{{ x }}
{% with x = 'with', y = x %}{{ x }}{{ y }}{% set z = 1 %}{% endwith %}{{ x }}{{ z is defined }}
{% macro m() %}{{ x }}{% set x = 'macro' %}{{ x }}{% endmacro %}{{ m() }}{{ x }}{% set x = 'late' %}{{ m() }}
{% set ns = namespace(n=0, s='') %}{% for i in range(4) %}{% set ns.n = ns.n + i %}{% set ns.s = ns.s ~ i %}{% endfor %}{{ ns.n }}{{ ns.s }}""",
    "a tuple that is unpacked": "{% for a, (b, c) in [(1, (2, 3)), [4, 'xy']] %}{{ a }}{{ b }}{{ c }};{% endfor %}",
    "too few to unpack": "{% for a, b in [(1,)] %}{{ a }}{% endfor %}",
    "loop variables": """{% for m in messages %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.depth }}{{ loop.depth0 }} {{ loop.previtem.role if loop.previtem is defined }}<{{ loop.nextitem.role if not loop.last else '-' }} {{ loop.cycle('odd', 'even') }} {{ loop.changed(m.role) }}
{% else %}
none
{% endfor %}""",
    "loops with a condition": """{% for m in messages if m.role == 'user' %}{{ loop.index }}/{{ loop.length }} {{ m.role }}{% if not loop.last %}, {% endif %}{% else %}no user{% endfor %}""",
    "break and continue": """{% for i in range(10) %}{% if i == 2 %}{% continue %}{% endif %}{% if i > 5 %}{% break %}{% endif %}{{ i }}{% for j in 'ab' %}{% if j == 'b' %}{% break %}{% endif %}{{ j }}{% endfor %}{% endfor %}""",
    "a loop in itself": """{% for node in [{'n': 1, 'c': [{'n': 2, 'c': [{'n': 3, 'c': []}]}, {'n': 4, 'c': []}]}] recursive %}{{ loop.depth }}:{{ node.n }}{% if node.c %}({{ loop(node.c) }}){% endif %}{% endfor %}""",
    "white space": """a
  {% if true %}
  b
    {%- if true -%}
      c
    {%- endif %}
  {% endif %}
  {%+ if true %}
d
  {%+ endif +%}
e {# note #}
  {# a note
     in lines #}
f{{ '\\n' }}
  {{- ' g ' -}}   
  h
{{ 'x' }}
{% raw %}
  {{ raw }} {% if %}
{% endraw %}
{%- raw -%}  y  {%- endraw %}
z

""",
    "a newline at the end": "a\n\n",
    "windows line ends": "a\r\n{% if true %}\r\nb\r\n{% endif %}\r\nc\rd",
    "comments": "a{# x {{ y }} {% z %} #}b {#- c -#} d{#+ e +#}\nf",
    "generation": """{% for m in messages %}{% if m.role == 'assistant' %}{% generation %}
{{ m.content }}{{ eos_token }}{% endgeneration %}{% else %}{{ m.role }}{% endif %}{% endfor %}""",
    "undefined values": """[{{ nothing }}][{{ messages[99] }}][{{ messages.nothing }}][{{ nothing|default('d') }}][{{ ''|default('e', true) }}][{{ nothing is defined }}][{{ nothing|length }}][{{ nothing == other }}][{{ not nothing }}]{% for x in nothing %}x{% else %}none{% endfor %}[{{ 'a' ~ nothing }}][{{ nothing|list }}][{{ 1 in nothing }}][{{ nothing|join(',') }}][{{ nothing or 'or' }}]""",
    "an attribute of an undefined value": "{{ nothing.at.all }}",
    "an undefined value that is added": "{{ 'a' + nothing }}",
    "an undefined value that is called": "{{ nothing() }}",
    "an undefined value in JSON": "{{ nothing | tojson }}",
    "a refusal": "{% for m in messages %}{% if m.role not in ['user', 'assistant'] %}{{ raise_exception('no ' + m.role) }}{% endif %}{{ m.role }}{% endfor %}",
    "content in parts": """{% for m in messages %}{% if m.content is string %}{{ m.content }}{% elif m.content is none %}none{% else %}{% for part in m.content %}{{ part['text'] if part.type == 'text' else '?' }}{% endfor %}{% endif %}
{% endfor %}""",
    "selections": """{{ messages | selectattr('role', 'equalto', 'user') | map(attribute='content') | list }}
{{ messages | rejectattr('role', 'in', ['user', 'tool']) | map(attribute='role') | join(', ') }}
{{ messages | map(attribute='name', default='?') | unique | join }}
{{ messages | selectattr('tool_calls', 'defined') | list | length }} {{ messages | selectattr('content') | list | length }}
{{ (messages | first | default({})).role }} {{ (messages | last).role if messages }}
{{ messages | groupby('role') | map('first') | list }}""",
    "the default filter and chains": """{{ (custom | default('x') | upper).lower() ~ (bos_token or '') ~ (pad_token | default(eos_token)) }}""",
    "json in styles": """{{ tools | tojson(indent=2) }}
{{ tools | tojson(separators=(',', ':')) }}
{{ tools | tojson(ensure_ascii=true, sort_keys=true) }}
{{ [1, 1.0, 1e20, 1e-7, -0.5, true, none, 'a"\\\\\\n\\t\\x01é', {}, [], (1, 2), {1: 2, none: 3, true: 4}] | tojson }}
{{ {'a': {'b': []}, 'c': [[], {}]} | tojson(indent=4) }}""",
    "items of dictionaries": """{% for k, v in {'b': 1, 'a': 2}.items() %}{{ k }}{{ v }}{% endfor %}{% for k in {'b': 1, 'a': 2} %}{{ k }}{% endfor %}{% for k, v in {'b': 1, 'a': 2}|items %}{{ k }}{{ v }}{% endfor %}{% for k, v in {'b': 1, 'A': 2, 'a': 3}|dictsort %}{{ k }}{{ v }}{% endfor %}{{ {'b': 1, 'a': 2}|dictsort(false, 'value', true) }}{{ nothing|items|list }}""",
    "generators": """{% set g = messages | map(attribute='role') %}{{ g | first }}|{% for r in g %}{{ r }},{% endfor %}|{% for r in g %}{{ r }}{% else %}empty{% endfor %}{{ 'user' in (messages | map(attribute='role')) }}{{ 'true' if messages | selectattr('nothing') }}""",
    "cycler and joiner": """{% set c = cycler('a', 'b') %}{% set j = joiner('; ') %}{% for i in range(3) %}{{ j() }}{{ c.next() }}{{ c.current }}{% endfor %}{{ c.reset() }}{{ c.current }}""",
    "conditions in expressions": """{% for m in messages %}{{ 'U' if m.role == 'user' else 'A' if m.role == 'assistant' else 'O' }}{{ 'x' if false }}{% endfor %}""",
    "a list that is changed": "{% set x = [] %}{{ x.append(1) }}{{ x }}",
    "a dictionary that is changed": "{% set x = {} %}{{ x.update({'a': 1}) }}{{ x }}",
    "an unknown filter": "{{ 1 | nofilter }}",
    "an unknown tag": "{% do x %}",
    "an open block": "{% if true %}x",
    "an open string": "{{ 'x }}",
    "a wrong end": "{% if true %}x{% endfor %}",
    "break outside": "{% break %}",
    "the tools of roles": """{%- set tool_names = [] -%}{%- for t in tools or [] -%}{%- set tool_names = tool_names + [t.function.name] -%}{{ tool_names }}{%- endfor -%}{{ tool_names }}
{%- for m in messages -%}{{ '\\n' ~ m.role.upper().ljust(10) ~ '|' ~ (m.content or 'EMPTY') | string | replace('\\n', '⏎') | truncate(20) }}{%- endfor -%}""",
    "a macro in a namespace": """{% set ns = namespace(f=none, l=none) %}{% for i in [1, 2] %}{% macro g(x) %}{{ x }}{{ ns.f is none }}{% endmacro %}{% set ns.f = g %}{% set ns.l = loop %}{% endfor %}{{ ns.f('!') }}{{ ns.l.index }}""",
}

EXPRESSIONS = r"""
[1 + 2 * 3 - 4 / 2, 7 // 2, -7 // 2, 7 // -2, -7 % 3, 7 % -3, 2 ** 10, 2 ** -1, -2 ** 2, 7.5 // 2, 7.5 % 2, -7.5 % 2, 1 / 3]
[1e16, ' ', 1e15, ' ', 0.0001, ' ', 0.00001, ' ', 1.0, ' ', 123456789.125, ' ', 1e100, ' ', 5e-324]
[1_000 + 0x1F + 0b101 + 0o17, 1_0.5e1]
[1 < 2 < 3, (1 < 3 < 2), (1 == 1.0), (true == 1), ('a' < 'b'), ([1, 2] < [1, 3]), (none == false)]
1 < 'a'
1 + 'a'
'a' + 1
['a' * 3, 3 * 'b', [1] * 2, 'x' * -1]
[[1, 2] + [3], (1, 2) + (3,), (1,), (), {'a': [1, 'x', none, true, 1.5]}]
['it\'s', ['it\'s', "say \"x\"", 'both \' "', 'new\nline', 'tab\t', '\x01', 'é', '\u200b', '\\']]
[not true or true and false, (not (true and false))]
[1 in [1, 2], (3 not in [1]), ('a' in 'abc'), ('a' in {'a': 1}), (1.0 in [1])]
1 in 5
['abc'[0], 'abc'[-1], 'abc'[1:], 'abc'[:-1], 'abc'[::-1], 'abcdef'[::2], 'abcdef'[4:1:-1], 'abc'[10:], 'abc'[-10:2], 'abc'[5]]
['日本語'[1], '日本語'[::-1], '日本語'|length, '日本語'[1:]]
[[1, 2, 3][1:], [1, 2, 3][-2:], [1, 2, 3][::-1], (1, 2, 3)[:2], [1, 2][0], [1, 2].0]
[{'a': 1}['a'], {'a': 1}.a, {'a': 1}['b'], {'a': 1}.get('b'), {'a': 1}.get('b', 2), {'items': 1}['items'], {1: 'x'}[1], {1: 'x'}[true]]
[{'a': 1, 'b': 2}.items()|list, {'a': 1}.keys()|list, {'a': 1}.values()|list, ({'a': 1}.items is callable)]
{'a': 1, 'a': 2}
{[1]: 2}
[' x '.strip(), '|', 'xxaxx'.strip('x'), '|', '\u00a0x\u3000'.strip(), '|', 'abcab'.lstrip('ab'), '|', 'abcab'.rstrip('ba')]
['a,b,,c'.split(','), ' a  b '.split(), 'a b c'.split(' ', 1), 'a b c'.rsplit(' ', 1), ''.split(), ''.split(','), ' a  b c '.split(none, 1), ' a  b c '.rsplit(none, 1)]
'x'.split('')
['abc'.startswith('ab'), 'abc'.endswith(('x', 'c')), 'abc'.startswith('b', 1), 'abc'.endswith('b', 0, 2), 'abc'.startswith('')]
['hello wORLD'.title(), 'hello wORLD'.capitalize(), 'hello'.upper(), 'HELLO'.lower(), 'Hello'.swapcase(), 'straße'.upper(), "it's a dog's".title(), 'ÉCOLE été'.title()]
['abc'.replace('b', 'x'), 'aaa'.replace('a', 'b', 2), 'abc'.replace('', '-'), 'abc'.replace('', '-', 2)]
[', '.join(['a', 'b']), '-'.join('abc'), ','.join([])]
', '.join([1])
['abcabc'.find('c'), 'abcabc'.rfind('c'), 'abc'.find('x'), 'abcabc'.find('a', 1), 'abcabc'.count('bc'), 'abc'.count(''), 'äbc'.find('c'), 'abcabc'.index('c', -2)]
'abc'.index('x')
['12'.isdigit(), ''.isdigit(), 'ab1'.isalnum(), 'ab'.isalpha(), ' '.isspace(), 'AB'.isupper(), 'A1'.isupper(), '1'.isupper(), 'ab'.islower(), 'Ab Cd'.istitle(), 'AB'.istitle()]
['ab'.center(5, '*'), 'a'.center(4), 'ab'.ljust(4, '.'), 'ab'.rjust(4), '-5'.zfill(4), '5'.zfill(3), 'abc'.center(6, '-'), 'ab'.center(7, '-')]
['abc'.removeprefix('a'), 'abc'.removesuffix('c'), 'abc'.removeprefix('x'), 'a-b-c'.partition('-'), 'a-b-c'.rpartition('-'), 'abc'.partition('-')]
['a\nb\r\nc\x0bd\n'.splitlines(), 'a\nb'.splitlines(true), ''.splitlines()]
'{} {1} {a}'.format(1, 2, a=3)
['{} {} {x}'.format(1, 2, x=3), '{0}{0}{1}'.format('a', 'b'), '{{}}'.format(), '{:>5}|{:<5}|{:^5}|{:*^7}'.format('a', 'b', 'c', 'd'), '{:05d}|{:+d}|{:,}|{:.2f}|{:x}|{:5.1f}|{!r}'.format(42, 5, 1234567, 3.14159, 255, 2.25, 'q'), '{a[b]}{a[0]}'.format(a={'b': 1, 0: 'z'})]
'%s is %d%% of %.2f %r %5s|%-5s|%05d|%x|%c' % ('a', 5, 2.5, 'q', 'r', 'l', 42, 255, 'c')
['%s' % 'x', '%s' % [1], '%(a)s-%(b)03d' % {'a': 1, 'b': 2}]
'%s %s' % 'x'
'%d' % 'x'
'%s' % (1, 2)
['a-b c(d)'|title, 'hELLO'|capitalize, 'x'|upper, 'X'|lower, ' x '|trim, 'xax'|trim('x'), 5|string, none|string]
['a<b>&"c\''|escape, '<'|e, '<b>'|safe]|join(' ')
[[3, 1, 2]|sort, ['b', 'A', 'c']|sort, ['b', 'A', 'c']|sort(case_sensitive=true), [3, 1]|sort(reverse=true), [{'a': 2}, {'a': 1}]|sort(attribute='a')]
[1, 'a']|sort
[['a', 'A', 'b', 'a']|unique|list, [1, 1.0, true, 2]|unique|list, ['a', 'A']|unique(true)|list]
[[1, 2, 3]|sum, [{'v': 1}, {'v': 2}]|sum(attribute='v'), [1]|sum(start=10), []|sum, [3, 1]|min, ['b', 'A']|min, [3, 1]|max, []|max, [{'a': 1}, {'a': 5}]|max(attribute='a')]
[[1, 2, 3, 4, 5]|batch(2)|list, [1, 2, 3]|batch(2, 0)|list, [1, 2, 3, 4, 5]|slice(2)|list, [1, 2, 3, 4, 5]|slice(3, 'x')|list]
[[1, 2, 3, 4]|select('odd')|list, [0, 1, '', 'a']|select|list, [1, 2, 3]|reject('gt', 1)|list, ['a', 1]|select('string')|list, [1, 2]|select('divisibleby', 2)|list]
[['a', 'b']|map('upper')|list, [[1, 2], [3]]|map('length')|list, ['a']|map('replace', 'a', 'b')|list, [{'a': {'b': 1}}, {}]|map(attribute='a.b', default=0)|list]
[[{'a': {'b': 1}}]|map(attribute='a.b')|list, [[5, 6]]|map(attribute=1)|list, [1]|map(attribute='x')|list]
[[1, 2]|first, [1, 2]|last, 'abc'|first, 'abc'|last, []|first, [1, 2]|reverse|list, 'abc'|reverse, {'a': 1}|list, 'ab'|list]
[[1, 2]|join, [1, 2]|join(', '), [{'a': 1}, {'a': 2}]|join('-', attribute='a'), 'abc'|join('.')]
[[1, 2]|length, {'a': 1}|count, ''|length]
5|length
['3'|int, '3.7'|int, 'x'|int, 'x'|int(7), 3.9|int, -3.9|int, '0x1f'|int(0, 16), ' 12 '|int, none|int, true|int, '1_000'|int]
['3.5'|float, 'x'|float, 3|float, '1e3'|float, none|float(1.5), ' 2. '|float]
[3.14159|round(2), 2.5|round, 3.5|round, 2.4|round(0, 'ceil'), 2.6|round(0, 'floor'), 5|round, 1234|round(-2), 2.675|round(2), -2.5|round]
[-5|abs, 5.5|abs, -1.5|abs]
['a\nb\n\nc'|indent, 'a\nb'|indent(2, true), 'a\n\nb'|indent(2, false, true), 'a\nb\n'|indent('> '), ''|indent(2, true)]
['hello world foo bar'|truncate(11), 'hello world'|truncate(5, true, '', 0), 'hello world foo'|truncate(9, false, '…', 0), 'one two three'|wordcount, 'x'|center(5), '%s-%s'|format(1, 2), '%(a)s'|format(a=1)]
[1 is defined, none is none, 1 is number, true is number, 1.0 is float, 1 is integer, true is integer, true is boolean, 'a' is string, {} is mapping, [] is iterable, 'a' is iterable, 5 is iterable, [] is sequence, {} is sequence, 5 is sequence]
[1 is odd, 2 is even, 6 is divisibleby 3, 6 is divisibleby(4), 1 is eq 1, 1 is equalto(2), 1 is ne 2, 1 is lt 2, 2 is gt(1), 1 is in [1], 1 is sameas 1, 1 is sameas true, true is true, 1 is true, false is false, none is sameas none]
['a' is lower, 'A' is upper, 'Aa' is upper, range is callable, 1 is callable, nothing is undefined, 1 is not none, 'upper' is filter, 'odd' is test, 'nope' is filter, 1 is not defined]
'a' is odd
1 is nothing
[range(3)|list, range(1, 7, 2)|list, range(3, 0, -1)|list, range(0)|list]
range(1, 2, 0)
[dict(a=1, b=2), dict([('x', 1)], y=2), dict({'a': 1}, a=3)]
namespace(a=1).a
'a' 'b' "c"
'\x41\u00e9\U0001F600\101\q\
x'
[(1, 2)|tojson, 'é\u2028<&>'|tojson, 1.50|tojson, {'é': 1}|tojson]
[1, [2, [3]]]|string|length
['a' if 1 else 'b', ('x' if 0)]
(messages|length > 0) and messages[0].role
messages[0]['content'][:3] if messages else ''
[true, True, false, none, None]
1 if true
{'a': 1}|length == 1 and 'yes' or 'no'
[{'a': {'b': [10, 20]}}.a.b[1], {'a-b': 1}['a-b']]
('abc'|attr('upper'))()
[('a', 'b')|join, ('a',)[0]]
[]|first|default('none')
[(1, 2) == (1, 2), [1] == (1,), {'a': 1} == {'a': 1.0}]
''.join(['a', 'b'])|upper|lower|length
1 // 0
1 % 0
[1.5 is integer, (2 ** 62) * 1]
[(9223372036854775807 // -1), -9223372036854775807]
[+5, -(-5), - 5]
['abc' is sequence, ('abc' is mapping)]
[[1,2,3,], (1,), {'a': 1,}]
'a'.b.c
[none.x, 'end']
none.x.y
'x'.upper is callable
'a' ~ 1 ~ none ~ 1.5 ~ [1]
1 ~ 2 + 3
1 + 2 ~ 3
2 * 3 ~ 4 * 5
-1|abs
2 ** 3 ** 2
not 1 == 2
-'a'
'a' is string and 1 is number or false
[1, 2, 3][1:][0]
{'a': {}}.a.b is defined
[[1]|map('string') is sequence, [1]|map('string') is iterable, 'yes' if [0]|select else 'no', none|map('x')|list, none|selectattr('x')|list, [1, 2]|map('string')|first, ([1]|map('string'))[0]]
[1]|select|tojson
[1]|map('string')|length
[1]|select|last
'<a>'|safe + '<b>'
'<a>' + '<b>'|safe + 1|string
('<a>'|safe)[1:] ~ '<b>'|e|e
('<a>'|safe).upper() + '&'
""".strip("\n")


def render(source, variables):
    try:
        template = chat_template_utils._compile_jinja_template(source)
        return template.render(**{"tools": None, "documents": None, "add_generation_prompt": True,
                                  "bos_token": "<s>", "eos_token": "</s>", **variables,
                                  "strftime_now": NOW.strftime})
    except Exception:
        return None


def main():
    expressions = EXPRESSIONS.replace("\\\n", "\0").split("\n")  # a backslash at the end of a line goes on
    expressions = [one.replace("\0", "\\\n") for one in expressions]
    content = {
        "made_by": "make_templates.py",
        "versions": {package: version(package) for package in ("jinja2", "transformers")},
        "now": [NOW.year, NOW.month, NOW.day, NOW.hour, NOW.minute, NOW.second],
        "conversations": CONVERSATIONS,
        "templates": [{"name": name, "source": source,
                       "rendered": [render(source, one) for one in CONVERSATIONS]}
                      for name, source in TEMPLATES.items()],
        "expressions": [{"source": "{{ " + one + " }}", "value": render("{{ " + one + " }}", CONVERSATIONS[2])}
                        for one in expressions]}
    (HERE / "templates.json").write_text(json.dumps(content, indent=0, ensure_ascii=False) + "\n")
    print(f"{len(TEMPLATES)} templates, {len(expressions)} expressions")


if __name__ == "__main__":
    main()
