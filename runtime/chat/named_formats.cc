#include "runtime/chat/named_formats.h"

namespace outrider::text {
namespace {

// An empty system message counts as none, and leaves a default out.

/// Sets `system` and `turns`.
constexpr const char* kParts = R"(
{%- set has_system = messages[0].role == 'system' -%}
{%- set system = messages[0].content if has_system else default_system -%}
{%- set turns = messages[1:] if has_system else messages -%}
)";

/// @param body  of the template
std::string with_parts(const std::string& body, const std::string& default_system = "") {
  return "{%- set default_system = \"" + default_system + "\" -%}" + kParts + body;
}

constexpr const char* kChatMl = R"(
{%- if system %}{{ '<|im_start|>system\n' ~ system ~ '<|im_end|>\n' }}{% endif %}
{%- for turn in turns %}{{ '<|im_start|>' ~ turn.role ~ '\n' ~ turn.content ~ '<|im_end|>\n' }}{% endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %})";

/// ChatML of a model that thinks: thoughts of earlier answers are left out, and `enable_thinking` false
/// leaves out those of the next one.
constexpr const char* kQwen3 = R"(
{%- if system %}{{ '<|im_start|>system\n' ~ system ~ '<|im_end|>\n' }}{% endif %}
{%- for turn in turns -%}
  {%- set words = turn.content -%}
  {%- if turn.role == 'assistant' -%}
    {%- set thought = words.split('</think>')[0].rstrip('\n').split('<think>')[-1].lstrip('\n') if '</think>' in words else '' -%}
    {%- if '</think>' in words %}{% set words = words.split('</think>')[-1].lstrip('\n') %}{% endif -%}
    {%- if loop.last %}{% set words = '<think>\n' ~ thought.strip('\n') ~ '\n</think>\n\n' ~ words %}{% endif -%}
  {%- endif -%}
  {{ '<|im_start|>' ~ turn.role ~ '\n' ~ words ~ '<|im_end|>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}
  {%- if enable_thinking is defined and not enable_thinking %}{{ '<think>\n\n</think>\n\n' }}{% endif %}
{%- endif %})";

constexpr const char* kLlama2 = R"(
{%- for turn in turns -%}
  {%- if turn.role == 'user' -%}
    {%- set words = ('<<SYS>>\n' ~ system ~ '\n<</SYS>>\n\n' if system and loop.first else '') ~ turn.content -%}
    {{ (bos_token or '') ~ '[INST] ' ~ words.strip() ~ ' [/INST]' }}
  {%- else -%}
    {{ ' ' ~ turn.content.strip() ~ ' ' ~ eos_token }}
  {%- endif -%}
{%- endfor %})";

/// @param head  of the system turn, which is there even without a message unless it is empty
std::string llama3(const std::string& head) {
  return "{{- bos_token or '' }}{%- set head = '" + head + "' %}" + R"(
{%- if system or head %}{{ '<|start_header_id|>system<|end_header_id|>\n\n' ~ head ~ system.strip() ~ '<|eot_id|>' }}{% endif %}
{%- for turn in turns %}{{ '<|start_header_id|>' ~ turn.role ~ '<|end_header_id|>\n\n' ~ turn.content.strip() ~ '<|eot_id|>' }}{% endfor %}
{%- if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %})";
}

/// Mistral 7B Instruct 0.1 and 0.2 and Mixtral, since they support system messages.
constexpr const char* kMistral = R"(
{{- bos_token or '' }}
{%- for turn in turns -%}
  {%- if turn.role == 'user' -%}
    {{ ' [INST] ' ~ (system ~ '\n\n' if system and loop.first else '') ~ turn.content ~ ' [/INST]' }}
  {%- else -%}
    {{ ' ' ~ turn.content ~ eos_token }}
  {%- endif -%}
{%- endfor %})";

/// The system message moves with the last message. @param space  after the mark; answers are stripped with it
std::string mistral_v3(const std::string& space) {
  return "{%- set space = '" + space + "' %}" + R"(
{{- bos_token or '' }}
{%- set last_place = turns|length - (1 if turns[-1].role == 'user' else 2) -%}
{%- for turn in turns -%}
  {%- if turn.role == 'user' -%}
    {{ '[INST]' ~ space ~ (system ~ '\n\n' if system and loop.index0 == last_place else '') ~ turn.content ~ '[/INST]' }}
  {%- else -%}
    {{ (' ' ~ turn.content.strip() if space else turn.content) ~ eos_token }}
  {%- endif -%}
{%- endfor %})";
}

/// Turns that begin with their role as a mark. @param end  of a turn, an expression
std::string role_marks(const std::string& end) {
  return "{%- set end = " + end + " %}" + R"(
{%- if system %}{{ '<|system|>\n' ~ system ~ end ~ '\n' }}{% endif %}
{%- for turn in turns %}{{ '<|' ~ turn.role ~ '|>\n' ~ turn.content ~ end ~ '\n' }}{% endfor %}
{%- if add_generation_prompt %}{{ '<|assistant|>\n' }}{% endif %})";
}

/// Vicuna 1.1 to 1.5, as in FastChat.
constexpr const char* kVicuna = R"(
{%- if system %}{{ system ~ ' ' }}{% endif %}
{%- for turn in turns -%}
  {%- if turn.role == 'user' %}{{ 'USER: ' ~ turn.content ~ ' ' }}
  {%- else %}{{ 'ASSISTANT: ' ~ turn.content ~ eos_token }}{% endif -%}
{%- endfor %}
{%- if add_generation_prompt %}{{ 'ASSISTANT:' }}{% endif %})";

std::vector<NamedFormat> make_formats() {
  const std::vector<std::string> chatml_marks = {"<|im_start|>", "<|im_end|>"};
  const std::vector<std::string> llama3_marks = {"<|start_header_id|>", "<|end_header_id|>",
                                                 "<|eot_id|>"};
  // The second date is what the models' templates write without a clock, so that the same prompt gives
  // the same text on any day.
  const std::string dates = R"(Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n)";
  return {
      {"chatml", with_parts(kChatMl), chatml_marks},
      {"llama-2", with_parts(kLlama2), {}},
      {"llama-3", with_parts(llama3("")), llama3_marks},
      {"llama-3.1", with_parts(llama3(dates)), llama3_marks},
      {"mistral", with_parts(kMistral), {}},
      {"mistral-v3", with_parts(mistral_v3(" ")), {"[INST]", "[/INST]"}},
      {"mistral-nemo", with_parts(mistral_v3("")), {"[INST]", "[/INST]"}},
      {"phi-3", with_parts(role_marks("'<|end|>'")), {"<|user|>", "<|assistant|>", "<|end|>"}},
      {"qwen", with_parts(kChatMl, "You are a helpful assistant."), chatml_marks},
      {"qwen2.5",
       with_parts(kChatMl, "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."),
       chatml_marks},
      {"qwen3", with_parts(kQwen3), chatml_marks},
      {"vicuna",
       with_parts(kVicuna,
                  "A chat between a curious user and an artificial intelligence assistant. The "
                  "assistant gives helpful, detailed, and polite answers to the user's questions."),
       {}},
      {"zephyr", with_parts(role_marks("eos_token")), {}},
      {"raw", "", {}},
  };
}

}  // namespace

const std::vector<NamedFormat>& named_formats() {
  static const std::vector<NamedFormat> formats = make_formats();
  return formats;
}

std::string format_names() {
  std::string names;
  for (const NamedFormat& format : named_formats()) {
    if (!names.empty()) names += &format == &named_formats().back() ? " or " : ", ";
    names += format.name;
  }
  return names;
}

}  // namespace outrider::text
