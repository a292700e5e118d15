#include "runtime/chat/chat_layout.h"

#include <fmt/core.h>

#include "runtime/base/error.h"
#include "runtime/tokenizer/special_tokens.h"

namespace outrider::text {
namespace {

ChatLayout chatml() {
  return {.name = "chatml",
          .system = {"<|im_start|>system\n", "<|im_end|>\n"},
          .user = {"<|im_start|>user\n", "<|im_end|>\n"},
          .opening = "<|im_start|>assistant\n",
          .closing = "<|im_end|>\n",
          .end_of_turn = "<|im_end|>",
          .marks = {"<|im_start|>", "<|im_end|>"}};
}

ChatLayout qwen(std::string name, std::string system) {
  ChatLayout layout = chatml();
  layout.name = std::move(name);
  layout.default_system = std::move(system);
  return layout;
}

ChatLayout qwen3() {
  ChatLayout layout = qwen("qwen3", "");
  layout.thinks = true;
  return layout;
}

ChatLayout llama2() {
  return {.name = "llama-2",
          .system = {"<<SYS>>\n", "\n<</SYS>>\n\n"},
          .system_place = SystemPosition::kFirstUser,
          .user = {"{bos}[INST] ", " [/INST]"},
          .lead = " ",
          .closing = " {eos}",
          .end_of_turn = "{eos}",
          .strips_user = true,
          .strips_answers = true};
}

ChatLayout llama3() {
  const auto header = [](std::string_view role) {
    return fmt::format("<|start_header_id|>{}<|end_header_id|>\n\n", role);
  };
  return {.name = "llama-3",
          .start = "{bos}",
          .system = {header("system"), "<|eot_id|>"},
          .user = {header("user"), "<|eot_id|>"},
          .opening = header("assistant"),
          .closing = "<|eot_id|>",
          .end_of_turn = "<|eot_id|>",
          .strips_system = true,
          .strips_user = true,
          .strips_answers = true,
          .marks = {"<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"}};
}

/// Its system turn contains two dates. The second is what the templates write without a clock, so that
/// the same prompt gives the same text on any day.
ChatLayout llama31() {
  ChatLayout layout = llama3();
  layout.name = "llama-3.1";
  layout.system.before += "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n";
  layout.always_system = true;
  return layout;
}

/// Mistral 7B Instruct 0.1 and 0.2 and Mixtral, since they support system messages.
ChatLayout mistral() {
  return {.name = "mistral",
          .start = "{bos}",
          .system = {"", "\n\n"},
          .system_place = SystemPosition::kFirstUser,
          .user = {" [INST] ", " [/INST]"},
          .lead = " ",
          .closing = "{eos}",
          .end_of_turn = "{eos}"};
}

ChatLayout mistral_v3() {
  return {.name = "mistral-v3",
          .start = "{bos}",
          .system = {"", "\n\n"},
          .system_place = SystemPosition::kLastUser,
          .user = {"[INST] ", "[/INST]"},
          .lead = " ",
          .closing = "{eos}",
          .end_of_turn = "{eos}",
          .strips_answers = true,
          .marks = {"[INST]", "[/INST]"}};
}

ChatLayout mistral_nemo() {
  ChatLayout layout = mistral_v3();
  layout.name = "mistral-nemo";
  layout.user = {"[INST]", "[/INST]"};
  layout.lead = "";
  layout.strips_answers = false;
  return layout;
}

/// Vicuna 1.1 to 1.5, as in FastChat.
ChatLayout vicuna() {
  return {.name = "vicuna",
          .system = {"", " "},
          .default_system =
              "A chat between a curious user and an artificial intelligence assistant. The "
              "assistant gives helpful, detailed, and polite answers to the user's questions.",
          .user = {"USER: ", " "},
          .opening = "ASSISTANT:",
          .lead = " ",
          .closing = "{eos}",
          .end_of_turn = "{eos}"};
}

ChatLayout zephyr() {
  return {.name = "zephyr",
          .system = {"<|system|>\n", "{eos}\n"},
          .user = {"<|user|>\n", "{eos}\n"},
          .opening = "<|assistant|>\n",
          .closing = "{eos}\n",
          .end_of_turn = "{eos}"};
}

ChatLayout phi3() {
  return {.name = "phi-3",
          .system = {"<|system|>\n", "<|end|>\n"},
          .user = {"<|user|>\n", "<|end|>\n"},
          .opening = "<|assistant|>\n",
          .closing = "<|end|>\n",
          .end_of_turn = "<|end|>",
          .marks = {"<|user|>", "<|assistant|>", "<|end|>"}};
}

/// Replaces `{bos}` and `{eos}` by a model's own tokens.
class OwnTokens {
 public:
  explicit OwnTokens(const TokenizerSpec& spec)
      : bos_(written(spec, spec.bos)), eos_(written(spec, spec.eos)) {}

  void put_into(std::string& text, const std::string& layout) const {
    if (text.find("{eos}") != std::string::npos && eos_.empty())
      throw InputError(
          fmt::format("the chat format {} ends turns with the model's end token, but the model "
                      "has none; pass --chat raw",
                      layout));
    replace(text, "{bos}", bos_);
    replace(text, "{eos}", eos_);
  }

 private:
  static std::string written(const TokenizerSpec& spec, Token token) {
    const auto index = static_cast<std::size_t>(token);
    return token < 0 || index >= spec.tokens.size() ? "" : spec.tokens[index];
  }
  static void replace(std::string& text, std::string_view name, const std::string& token) {
    const std::size_t at = text.find(name);  // at most once
    if (at != std::string::npos) text.replace(at, name.size(), token);
  }

  std::string bos_;
  std::string eos_;
};

void require(const std::vector<std::string>& marks, const std::string& layout,
             const TokenizerSpec& spec) {
  if (marks.empty()) return;
  const SpecialTokens special(spec, true);
  for (const std::string& mark : marks) {
    const auto match = special.find(mark, 0);
    if (match && match->length == mark.size()) continue;
    // Otherwise the mark would be encoded as ordinary text.
    throw InputError(fmt::format(
        "the chat format {} needs the special token {}, which the model's vocabulary lacks; "
        "pass --chat raw",
        layout, mark));
  }
}

}  // namespace

ChatLayout ChatLayout::for_model(const TokenizerSpec& spec) const {
  require(marks, name, spec);
  ChatLayout own = *this;
  const OwnTokens tokens(spec);
  for (std::string* text : {&own.start, &own.system.before, &own.system.after, &own.user.before,
                            &own.user.after, &own.opening, &own.closing, &own.end_of_turn}) {
    tokens.put_into(*text, name);
  }
  return own;
}

const std::vector<ChatLayout>& chat_layouts() {
  static const std::vector<ChatLayout> layouts = {
      chatml(),
      llama2(),
      llama3(),
      llama31(),
      mistral(),
      mistral_v3(),
      mistral_nemo(),
      phi3(),
      qwen("qwen", "You are a helpful assistant."),
      qwen("qwen2.5", "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."),
      qwen3(),
      vicuna(),
      zephyr(),
      {.name = "raw", .system_place = SystemPosition::kNowhere, .is_raw = true},
  };
  return layouts;
}

std::optional<ChatLayout> find_layout(std::string_view name) {
  for (const ChatLayout& layout : chat_layouts()) {
    if (layout.name == name) return layout;
  }
  return std::nullopt;
}

std::string layout_names() {
  std::string names;
  for (const ChatLayout& layout : chat_layouts()) {
    if (!names.empty()) names += &layout == &chat_layouts().back() ? " or " : ", ";
    names += layout.name;
  }
  return names;
}

}  // namespace outrider::text
