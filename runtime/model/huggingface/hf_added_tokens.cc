#include "runtime/model/huggingface/hf_added_tokens.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/model/config.h"

namespace outrider::model {
namespace {

using nlohmann::json;

// In the order in which transformers adds them.
constexpr const char* kNames[] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                  "pad_token", "cls_token", "mask_token"};
constexpr const char* kDecoder = "added_tokens_decoder";
constexpr const char* kEndOfText = "<|endoftext|>";  // Qwen 2's class has it whatever the files say
constexpr const char* kLists[] = {"additional_special_tokens", "extra_special_tokens"};

bool is_used(const text::TokenizerSpec& spec, std::size_t id) {
  return id < spec.tokens.size() && spec.kinds[id] != text::TokenKind::kUnused;
}

text::TokenKind kind_of(const JsonObject& added) {
  return added.flag("special").value_or(false) ? text::TokenKind::kControl
                                               : text::TokenKind::kUserDefined;
}

void set_rules(const JsonObject& added, Token id, text::TokenizerSpec& spec) {
  const auto set = [&](const char* key) { return added.flag(key).value_or(false); };
  const text::AddedTokenRules rules{set("lstrip"), set("rstrip"), set("single_word"),
                                    set("normalized")};
  spec.added_rules.erase(id);
  if (rules.lstrip || rules.rstrip || rules.single_word || rules.normalized)
    spec.added_rules[id] = rules;
}

/// The content of a token, given as a string or as an object; empty if it is neither.
std::string content_of(const json* token) {
  if (token != nullptr && token->is_object()) {
    const auto content = token->find("content");
    token = content == token->end() ? nullptr : &*content;
  }
  return token != nullptr && token->is_string() ? token->get<std::string>() : "";
}

std::int64_t id_of_key(const std::string& key, const JsonObject& tokens) {
  std::int64_t id = -1;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), id);
  if (error != std::errc() || end != key.data() + key.size() || id < 0 || id >= limits::kVocab)
    throw InputError(fmt::format("{}: '{}' is no id (expected 0 to {})", tokens.where(), key,
                                 limits::kVocab - 1));
  return id;
}

/// Makes room for an id. @return whether there is room
bool reserve(std::size_t id, bool grows, text::TokenizerSpec& spec) {
  constexpr std::size_t kMostUnused = 1 << 16;
  if (id < spec.tokens.size()) return true;
  if (!grows || id > spec.tokens.size() + kMostUnused) return false;
  spec.tokens.resize(id + 1);
  spec.kinds.resize(id + 1, text::TokenKind::kUnused);
  return true;
}

/// The id after the last one that is used.
std::size_t next_id(const text::TokenizerSpec& spec) {
  std::size_t next = spec.tokens.size();
  while (next > 0 && !is_used(spec, next - 1)) --next;
  return next;
}

/// Makes a token special that has an id already, or gives it the next one.
void make_special(const std::string& content, bool grows, text::TokenizerSpec& spec) {
  if (content.empty()) return;
  if (const Token known = token_called(content, spec); known >= 0) {
    text::TokenKind& kind = spec.kinds[static_cast<std::size_t>(known)];
    if (kind != text::TokenKind::kByte) kind = text::TokenKind::kControl;
    return;
  }
  const std::size_t next = next_id(spec);
  if (!reserve(next, grows, spec)) return;
  spec.tokens[next] = content;
  spec.kinds[next] = text::TokenKind::kControl;
}

/// Whether transformers takes `added_tokens_decoder` for the whole list of added tokens, as for Qwen 2's class, and it
/// lacks some of tokenizer.json's: then only those that it has are added, in order, after the model's tokens.
bool replaces_the_list(const JsonObject& file, const JsonObject& settings) {
  const auto decoder = settings.object(kDecoder);
  const json* list = file.find("added_tokens");
  if (!decoder || list == nullptr ||
      !settings.text("tokenizer_class").value_or("").starts_with("Qwen2Tokenizer"))
    return false;
  const auto has = [&](const json& token) {
    const auto& tokens = settings.required(kDecoder);
    return std::any_of(tokens.begin(), tokens.end(), [&](const json& listed) {
      return content_of(&listed) == content_of(&token);
    });
  };
  return !std::all_of(list->begin(), list->end(), has);
}

void read_list(const JsonObject& file, text::TokenizerSpec& spec) {
  const json* list = file.find("added_tokens");
  if (list == nullptr) return;
  if (!list->is_array()) file.fail("added_tokens", "not a list", "a list");
  const auto last = static_cast<std::int64_t>(spec.tokens.size()) - 1;
  for (const json& element : *list) {
    const JsonObject added(element, file.where() + ": added_tokens");
    const std::string content = added.required_text("content");
    const auto id = static_cast<Token>(added.required_integer("id", 0, last));
    set_token(added, content, id, kind_of(added), spec);
    set_rules(added, id, spec);
  }
}

/// @param in_turn  whether new tokens get the next ids, not those stated
void read_decoder(const JsonObject& settings, bool in_turn, bool grows, text::TokenizerSpec& spec) {
  const auto tokens = settings.object(kDecoder);
  if (!tokens) return;
  std::map<std::int64_t, std::pair<std::string, const json*>> in_order;
  for (const auto& [key, value] : settings.required(kDecoder).items())
    in_order[id_of_key(key, *tokens)] = {key, &value};
  for (const auto& [stated, entry] : in_order) {
    const JsonObject added(*entry.second, fmt::format("{}: {}", tokens->where(), entry.first));
    const std::string content = added.required_text("content");
    const Token known = token_called(content, spec);
    if (known >= 0 && !added.has("special")) continue;  // of added_tokens.json, without rules
    std::int64_t id = known >= 0 ? known : stated;
    if (known < 0 && in_turn) id = static_cast<std::int64_t>(next_id(spec));
    if (!reserve(static_cast<std::size_t>(id), grows, spec)) continue;
    set_token(added, content, id, kind_of(added), spec);
    set_rules(added, static_cast<Token>(id), spec);
  }
}

}  // namespace

void set_token(const JsonObject& where, const std::string& token, std::int64_t id,
               text::TokenKind kind, text::TokenizerSpec& spec) {
  const auto index = static_cast<std::size_t>(id);
  if (is_used(spec, index) && spec.tokens[index] != token)
    throw InputError(fmt::format("{}: token '{}' has the id {} of '{}'", where.where(), token, id,
                                 spec.tokens[index]));
  spec.tokens[index] = token;
  spec.kinds[index] = kind;
}

void read_added_tokens(const JsonObject& file, const JsonObject& settings, bool grows,
                       text::TokenizerSpec& spec) {
  const bool replaced = replaces_the_list(file, settings);
  if (!replaced) read_list(file, spec);
  read_decoder(settings, replaced, grows, spec);
  for (const char* name : kNames) make_special(content_of(settings.find(name)), grows, spec);
  for (const char* name : kLists) {
    const json* list = settings.find(name);
    if (list == nullptr || !list->is_array()) continue;
    for (const json& token : *list) make_special(content_of(&token), grows, spec);
  }
  if (replaced) make_special(kEndOfText, grows, spec);
}

Token token_called(const std::string& content, const text::TokenizerSpec& spec) {
  for (std::size_t id = 0; id < spec.tokens.size(); ++id)
    if (spec.tokens[id] == content && is_used(spec, id)) return static_cast<Token>(id);
  return -1;
}

Token named_token(const JsonObject& settings, const char* name, const text::TokenizerSpec& spec) {
  const std::string content = content_of(settings.find(name));
  return content.empty() ? -1 : token_called(content, spec);
}

}  // namespace outrider::model
