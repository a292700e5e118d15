#include "runtime/model/hf_tokenizer.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/base/error.h"

namespace outrider::model {
namespace {

using nlohmann::json;

constexpr std::string_view kLlama3Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kBloomPattern = R"( ?[^(\s|[.,!?…。，、।۔،])]+)";
constexpr std::string_view kQwen2Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

std::string type_of(const JsonObject& part) { return part.required_text("type"); }

/// ByteLevel, with GPT-2's pattern or without.
bool is_byte_level(const JsonObject& part, bool pattern) {
  if (type_of(part) != "ByteLevel") return false;
  if (part.flag("add_prefix_space").value_or(true)) part.fail("add_prefix_space", "true", "false");
  return part.flag("use_regex").value_or(true) == pattern;
}

/// The pattern of a Split that keeps what it finds as words; empty if it is something else.
std::string split_pattern(const JsonObject& part) {
  if (type_of(part) != "Split" || part.text("behavior").value_or("") != "Isolated" ||
      part.flag("invert").value_or(false))
    return {};
  const auto pattern = part.object("pattern");
  return pattern ? pattern->text("Regex").value_or("") : "";
}

/// The name that GGUF files have for it.
std::string pre_tokenizer_name(const JsonObject& file) {
  const auto part = file.object("pre_tokenizer");
  if (!part) file.fail("pre_tokenizer", "absent", "one of a byte-level tokenizer");
  if (type_of(*part) != "Sequence") {
    if (is_byte_level(*part, true)) return "gpt-2";
  } else if (const json& list = part->required("pretokenizers");
             list.is_array() && list.size() == 2) {
    const JsonObject first(list[0], part->place() + ": pretokenizers: 0");
    const JsonObject second(list[1], part->place() + ": pretokenizers: 1");
    if (type_of(first) == "Digits" && first.flag("individual_digits").value_or(false) &&
        is_byte_level(second, true))
      return "smollm";
    const std::string pattern = split_pattern(first);
    if (pattern == kLlama3Pattern && is_byte_level(second, false)) return "llama-bpe";
    if (pattern == kQwen2Pattern && is_byte_level(second, false)) return "qwen2";
    if (pattern == kBloomPattern && is_byte_level(second, false)) return "bloom";
  }
  file.fail("pre_tokenizer", "of a kind that this version does not know",
            "that of GPT-2, SmolLM, Llama 3, Qwen 2 or BLOOM");
}

/// Whether texts are put into form C.
bool normalises(const JsonObject& file) {
  const auto part = file.object("normalizer");
  if (part && type_of(*part) != "NFC")
    part->fail("type", fmt::format("'{}'", type_of(*part)), "'NFC'");
  return part.has_value();
}

/// Parts that a byte-level BPE does without, or that must be the usual ones.
void refuse_extras(const JsonObject& file, const JsonObject& model) {
  static constexpr std::string_view kKeys[] = {"version",        "truncation", "padding",
                                               "added_tokens",   "normalizer", "pre_tokenizer",
                                               "post_processor", "decoder",    "model"};
  file.refuse_others(kKeys);
  // Truncation and padding are for batches of training; our texts keep their length.
  const auto decoder = file.object("decoder");
  if (!decoder || type_of(*decoder) != "ByteLevel")
    file.fail("decoder", decoder ? fmt::format("'{}'", type_of(*decoder)) : "absent",
              "'ByteLevel'");

  static constexpr std::string_view kModelKeys[] = {"type",
                                                    "dropout",
                                                    "unk_token",
                                                    "continuing_subword_prefix",
                                                    "end_of_word_suffix",
                                                    "fuse_unk",
                                                    "vocab",
                                                    "merges",
                                                    "byte_fallback",
                                                    "ignore_merges"};
  model.refuse_others(kModelKeys);
  if (const std::string type = model.text("type").value_or("BPE"); type != "BPE")
    model.fail("type", fmt::format("'{}'", type), "'BPE'");
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"})
    if (!model.text(key).value_or("").empty()) model.fail(key, "given", "none");
  if (model.flag("byte_fallback").value_or(false)) model.fail("byte_fallback", "true", "false");
}

/// Puts a token at its id.
void place(const JsonObject& where, const std::string& token, std::int64_t id, text::TokenKind kind,
           text::TokenizerSpec& spec) {
  const auto index = static_cast<std::size_t>(id);
  if (spec.kinds[index] != text::TokenKind::kUnused && spec.tokens[index] != token)
    throw InputError(fmt::format("{}: token '{}' has the id {} of '{}'", where.place(), token, id,
                                 spec.tokens[index]));
  spec.tokens[index] = token;
  spec.kinds[index] = kind;
}

void read_vocabulary(const JsonObject& model, text::TokenizerSpec& spec) {
  const JsonObject vocabulary(model.required("vocab"), model.place() + ": vocab");
  const auto last = static_cast<std::int64_t>(spec.tokens.size()) - 1;
  for (const auto& [token, value] : model.required("vocab").items())
    place(vocabulary, token, vocabulary.required_integer(token, 0, last), text::TokenKind::kNormal,
          spec);
}

void read_added_tokens(const JsonObject& file, text::TokenizerSpec& spec) {
  const json* list = file.find("added_tokens");
  if (list == nullptr) return;
  if (!list->is_array()) file.fail("added_tokens", "not a list", "a list");
  const auto last = static_cast<std::int64_t>(spec.tokens.size()) - 1;
  for (const json& element : *list) {
    const JsonObject added(element, file.place() + ": added_tokens");
    const std::string content = added.required_text("content");
    for (const char* key : {"lstrip", "rstrip", "single_word"})
      if (added.flag(key).value_or(false))
        added.fail(key, fmt::format("true for '{}'", content), "false");
    const bool special = added.flag("special").value_or(false);
    place(added, content, added.required_integer("id", 0, last),
          special ? text::TokenKind::kControl : text::TokenKind::kUserDefined, spec);
  }
}

/// Pairs, or lines with one space between the parts.
void read_merges(const JsonObject& model, text::TokenizerSpec& spec) {
  const json& list = model.required("merges");
  if (!list.is_array()) model.fail("merges", "not a list", "a list");
  for (const json& merge : list) {
    const auto fail = [&] {
      model.fail("merges", fmt::format("no pair of texts at index {}", spec.merges.size()),
                 "two parts each");
    };
    if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
      spec.merges.emplace_back(merge[0].get<std::string>(), merge[1].get<std::string>());
    } else if (merge.is_string()) {
      const auto& line = merge.get_ref<const std::string&>();
      const std::size_t space = line.find(' ', 1);
      if (space == std::string::npos || space + 1 == line.size()) fail();
      spec.merges.emplace_back(line.substr(0, space), line.substr(space + 1));
    } else {
      fail();
    }
  }
}

Token token_called(const std::string& content, const text::TokenizerSpec& spec) {
  const auto found = std::find(spec.tokens.begin(), spec.tokens.end(), content);
  return found == spec.tokens.end() ? -1 : static_cast<Token>(found - spec.tokens.begin());
}

/// Tokens that a post-processor puts before every text: none, or the beginning-of-text token.
void read_start(const JsonObject& part, text::TokenizerSpec& spec) {
  const std::string type = type_of(part);
  if (type == "ByteLevel") return;  // concerns offsets only
  if (type == "Sequence") {
    for (const json& element : part.required("processors"))
      read_start(JsonObject(element, part.place() + ": processors"), spec);
    return;
  }
  if (type != "TemplateProcessing")
    part.fail("type", fmt::format("'{}'", type), "'ByteLevel' or 'TemplateProcessing'");
  bool text_seen = false;
  for (const json& element : part.required("single")) {
    const JsonObject piece(element, part.place() + ": single");
    if (piece.object("Sequence")) {
      text_seen = true;
      continue;
    }
    const auto special = piece.object("SpecialToken");
    const std::string content = special ? special->required_text("id") : "";
    if (text_seen || spec.add_bos || content.empty())
      part.fail("single", "more than one token before a text, or some behind it",
                "at most a beginning-of-text token");
    spec.bos = token_called(content, spec);
    if (spec.bos < 0) special->fail("id", fmt::format("'{}'", content), "a token");
    spec.add_bos = true;
  }
}

/// The token that tokenizer_config.json calls so, as a text or as an object; -1 if it does not.
Token named_token(const JsonObject& settings, const char* name, const text::TokenizerSpec& spec) {
  const json* token = settings.find(name);
  if (token != nullptr && token->is_object()) {
    const auto content = token->find("content");
    token = content == token->end() ? nullptr : &*content;
  }
  return token != nullptr && token->is_string() ? token_called(token->get<std::string>(), spec)
                                                : -1;
}

/// The template, or of several the one called default; empty where there is none.
std::string chat_template(const JsonObject& settings) {
  const json* chat = settings.find("chat_template");
  if (chat == nullptr || !chat->is_array()) return settings.text("chat_template").value_or("");
  for (const json& element : *chat) {
    const JsonObject named(element, settings.place() + ": chat_template");
    if (named.required_text("name") == "default") return named.required_text("template");
  }
  return "";
}

}  // namespace

text::TokenizerSpec read_hf_tokenizer(const JsonObject& file, const JsonObject& settings,
                                      int vocab) {
  text::TokenizerSpec spec;
  const JsonObject model(file.required("model"), file.place() + ": model");
  refuse_extras(file, model);
  spec.model = "gpt2";
  spec.pre = pre_tokenizer_name(file);
  spec.nfc = normalises(file);
  spec.ignore_merges = model.flag("ignore_merges").value_or(false);
  spec.tokens.resize(static_cast<std::size_t>(vocab));
  spec.kinds.assign(spec.tokens.size(), text::TokenKind::kUnused);
  read_vocabulary(model, spec);
  read_added_tokens(file, spec);
  for (std::size_t id = 0; id < spec.tokens.size(); ++id)
    if (spec.kinds[id] == text::TokenKind::kUnused)
      spec.tokens[id] = fmt::format("[unused {}]", id);
  read_merges(model, spec);
  if (const auto part = file.object("post_processor")) read_start(*part, spec);
  if (spec.bos < 0) spec.bos = named_token(settings, "bos_token", spec);
  spec.eos = named_token(settings, "eos_token", spec);
  spec.chat_template = chat_template(settings);
  return spec;
}

}  // namespace outrider::model
