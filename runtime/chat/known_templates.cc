// Chat templates of models, by the hash of their normal form, with their layouts.
// tests/golden/make_chat.py prints the hash of a template and renders it for the tests.

#include <utility>

#include "runtime/chat/chat_template.h"

namespace outrider::text {
namespace {

constexpr const char* kSmolLmSystem =
    "You are a helpful AI assistant named SmolLM, trained by Hugging Face";
constexpr const char* kQwen15System = "You are a helpful assistant";

struct KnownTemplate {
  std::uint64_t hash;
  ChatLayout layout;
};

ChatLayout named(std::string_view name) { return find_layout(name).value(); }

ChatLayout with_system(ChatLayout layout, std::string system) {
  layout.default_system = std::move(system);
  return layout;
}

ChatLayout with_bos(ChatLayout layout) {
  layout.start = "{bos}";
  return layout;
}

/// Some of these templates silently drop a system message; here it is refused.
ChatLayout without_system(ChatLayout layout) {
  layout.system_place = SystemPosition::kNowhere;
  return layout;
}

ChatLayout unstripped(ChatLayout layout) {
  layout.strips_system = layout.strips_user = layout.strips_answers = false;
  return layout;
}

/// Mistral 7B Instruct and Mixtral before they supported system messages.
ChatLayout first_mistral(std::string closing) {
  ChatLayout layout = without_system(named("mistral"));
  layout.user = {"[INST] ", " [/INST]"};
  layout.lead = "";
  layout.closing = std::move(closing);
  return layout;
}

/// Mistral Large 2411.
ChatLayout mistral_v7() {
  ChatLayout layout = unstripped(named("mistral-v3"));
  layout.system = {"[SYSTEM_PROMPT] ", "[/SYSTEM_PROMPT]"};
  layout.system_place = SystemPosition::kTurn;
  layout.marks = {"[INST]", "[/INST]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"};
  return layout;
}

/// Vicuna with a line per message.
ChatLayout vicuna_lines(Frame system) {
  ChatLayout layout = with_system(named("vicuna"), "");
  layout.system = std::move(system);
  layout.user = {"USER: ", "\n"};
  layout.closing = "</s>\n";
  layout.end_of_turn = "</s>";
  layout.marks = {"</s>"};
  return layout;
}

ChatLayout stripped_vicuna() {
  ChatLayout layout = with_bos(vicuna_lines({"", "\n\n"}));
  layout.closing = "{eos}\n";
  layout.end_of_turn = "{eos}";
  layout.marks = {};
  layout.strips_system = layout.strips_user = layout.strips_answers = true;
  return layout;
}

const std::vector<KnownTemplate>& known_templates() {
  static const std::vector<KnownTemplate> known = {
      // clang-format off
      {0x5D024DF2DA48DE7E, named("chatml")},  // as published
      {0x192AFAB84B7E1CED, named("chatml")},  // with its own default for the opening
      {0xB4D9DD877C974A34, named("chatml")},  // Qwen 3 2507 Instruct
      {0xD3B732E7097E2176, with_bos(named("chatml"))},  // InternLM 2, Nous Hermes 2
      {0x20392E7C56123E98, with_system(named("chatml"), kSmolLmSystem)},  // SmolLM 2
      {0xD656F4F5CF556DA7, with_system(named("qwen"), kQwen15System)},  // Qwen 1.5, first version
      {0x52D2C009B2B5CCF7, with_system(named("qwen"), kQwen15System)},  // Qwen 1.5
      {0x5D6F19AF3A5C2171, named("qwen")},  // Qwen 2
      {0x2859E4B8097BD50B, named("qwen2.5")},  // Qwen 2.5
      {0xE78D54FEC2A3F681, named("qwen3")},  // Qwen 3, first version
      {0x9807374058C81824, named("qwen3")},  // Qwen 3
      {0xBA5CD204BDFBCF27, named("llama-2")},  // Llama 2 Chat
      {0x7A5AF6B8E11F665B, named("llama-2")},  // CodeLlama Instruct
      {0x4D345C35BA2B780D, unstripped(named("llama-2"))},  // fine-tuned Llama 2
      {0x98DB376B81142D86, named("llama-3")},  // Llama 3
      {0xBF730AA151D604BE, named("llama-3")},  // Llama 3, always with the opening of an answer
      {0xF631F56E98565565, named("llama-3.1")},  // Llama 3.1, 3.3
      {0xB9AC922F63EECEA5, named("llama-3.1")},  // Llama 3.2
      {0x1AFF17F06D6FEAE6, first_mistral("{eos} ")},  // Mistral 7B Instruct 0.1
      {0x2BC9246E3E4F7959, first_mistral("{eos}")},  // Mistral 7B Instruct 0.2, Mixtral
      {0xD87FF3A39D89A760, named("mistral")},  // the same, later versions
      {0x9CBBAC40BE9606D6, unstripped(named("mistral-v3"))},  // Codestral 22B
      {0xD026868E04BBC7D7, named("mistral-v3")},  // Mistral Large 2407
      {0x2F6DB2FE8A62EE2B, named("mistral-nemo")},  // Mistral Nemo 2407
      {0xB7F8FCC00D7B73CC, mistral_v7()},  // Mistral Large 2411
      {0xAAB62023F6BEC641, with_bos(without_system(named("phi-3")))},  // Phi-3 mini, first version
      {0xA6FE2B341259C00F, with_bos(named("phi-3"))},  // Phi-3 mini, second version
      {0xBC8EE285926A194F, named("phi-3")},  // Phi-3 mini
      {0xAAC63F99F462B309, with_bos(named("phi-3"))},  // Phi-3 small
      {0x43697F39D6097E99, without_system(named("phi-3"))},  // Phi-3 medium
      {0x70158BF46A08BB40, named("phi-3")},  // Phi-3 vision
      {0x3D981B8A4DC1B2BA, named("phi-3")},  // Phi-3.5 mini
      {0xEE94F76DBB097225, vicuna_lines({"", "\n\n"})},  // Vicuna 1.1 with a line per message
      {0xBD03DED5CACC654C, vicuna_lines({"SYSTEM: ", "\n"})},  // fine-tuned by Orca
      {0x3B7557D71F31E1ED, stripped_vicuna()},  // Vicuna, by third parties
      {0x1E3C66CC54E59806, named("zephyr")},  // Zephyr, TinyLlama Chat
      // clang-format on
  };
  return known;
}

}  // namespace

std::optional<ChatLayout> known_layout(std::uint64_t hash) {
  for (const KnownTemplate& known : known_templates()) {
    if (known.hash == hash) return known.layout;
  }
  return std::nullopt;
}

}  // namespace outrider::text
