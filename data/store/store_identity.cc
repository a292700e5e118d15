#include "data/store/store_identity.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "runtime/base/error.h"
#include "runtime/base/json_number.h"
#include "runtime/base/json_text.h"
#include "runtime/base/numbers.h"

namespace outrider::data {
namespace {

using Json = nlohmann::ordered_json;

std::string changed(const std::string& what, const std::string& before, const std::string& now) {
  return before == now ? "" : fmt::format("{} was {} and is now {}", what, before, now);
}

std::string layers_text(const std::vector<int>& layers) {
  return layers.empty() ? "none" : fmt::format("{}", fmt::join(layers, ","));
}

std::string model_text(const StoreIdentity& identity) {
  if (identity.model_name.empty()) return identity.model_hash;
  return fmt::format("{} ({})", identity.model_hash, identity.model_name);
}

/// A string with quotes, or "not given".
std::string value_text(const std::string* value) {
  return value == nullptr ? "not given" : fmt::format("'{}'", *value);
}

}  // namespace

const std::string* find_option(const StoreIdentity& identity, const std::string& name) {
  for (const auto& [option, value] : identity.options) {
    if (option == name) return &value;
  }
  return nullptr;
}

std::optional<std::uint64_t> seed_of(const StoreIdentity& identity) {
  const std::string* seed = find_option(identity, "seed");
  return seed == nullptr ? std::nullopt : parse_unsigned(*seed);
}

std::string identity_text(const StoreIdentity& identity) {
  Json json = {{"model_hash", identity.model_hash}, {"tokenizer_hash", identity.tokenizer_hash},
               {"vocab", identity.vocab},           {"width", identity.width},
               {"top_k", identity.top_k},           {"layers", identity.layers}};
  Json& options = json["options"] = Json::object();
  for (const auto& [name, value] : identity.options) options[name] = value;
  return json_text(json);
}

StoreIdentity parse_identity(const std::string& text, const std::string& name) {
  try {
    const Json json = Json::parse(text);
    StoreIdentity identity{"",
                           json.at("model_hash"),
                           json.at("tokenizer_hash"),
                           whole_number_at<int>(json, "vocab", name),
                           whole_number_at<int>(json, "width", name),
                           whole_number_at<int>(json, "top_k", name),
                           {},
                           {},
                           {}};
    for (const Json& layer : json.at("layers"))
      identity.layers.push_back(require_whole_number<int>(layer, name + ": 'layers'"));
    for (const auto& [option, value] : json.at("options").items()) {
      identity.options.emplace_back(option, value.get<std::string>());
    }
    const bool layers_fit = std::all_of(identity.layers.begin(), identity.layers.end(),
                                        [](int layer) { return layer >= -1 && layer < 100'000; });
    if (identity.vocab < 1 || identity.width < 1 || identity.top_k < 0 ||
        identity.top_k > identity.vocab || identity.layers.size() > 10'000 || !layers_fit) {
      throw InputError(fmt::format("{}: the store's identity has a number out of range", name));
    }
    return identity;
  } catch (const Json::exception& error) {
    throw InputError(fmt::format("{}: expected a store's identity: {}", name, error.what()));
  }
}

std::string first_difference(const StoreIdentity& before, const StoreIdentity& now) {
  if (before.model_hash != now.model_hash)
    return changed("the model", model_text(before), model_text(now));
  for (const std::string& difference :
       {changed("the tokenizer", before.tokenizer_hash, now.tokenizer_hash),
        changed("the vocabulary", std::to_string(before.vocab), std::to_string(now.vocab)),
        changed("the width", std::to_string(before.width), std::to_string(now.width)),
        changed("--keep-top", std::to_string(before.top_k), std::to_string(now.top_k)),
        changed("the layers stored", layers_text(before.layers), layers_text(now.layers))}) {
    if (!difference.empty()) return difference;
  }
  for (const auto& [name, value] : before.options) {
    const std::string* other = find_option(now, name);
    const std::string text = changed("--" + name, value_text(&value), value_text(other));
    if (!text.empty()) return text;
  }
  for (const auto& [name, value] : now.options) {
    if (find_option(before, name) == nullptr) {
      return changed("--" + name, value_text(nullptr), value_text(&value));
    }
  }
  return "";
}

}  // namespace outrider::data
