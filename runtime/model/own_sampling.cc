#include "runtime/model/own_sampling.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string_view>
#include <variant>

#include "runtime/base/numbers.h"
#include "runtime/model/gguf/gguf_metadata.h"
#include "runtime/model/gguf/open_gguf.h"
#include "runtime/model/json_object.h"
#include "runtime/model/mapped_file.h"
#include "runtime/model/strict_json.h"

namespace outrider::model {
namespace {

constexpr int kMostTopK = std::numeric_limits<int>::max();

/// A key that changes the text, and the value at which it does not.
struct Unknown {
  std::string_view key;
  double off;
};
constexpr Unknown kUnknownOfFolders[] = {{"num_beams", 1},
                                         {"typical_p", 1},
                                         {"epsilon_cutoff", 0},
                                         {"eta_cutoff", 0},
                                         {"no_repeat_ngram_size", 0}};
constexpr Unknown kUnknownOfGguf[] = {{"general.sampling.xtc_probability", 0},
                                      {"general.sampling.mirostat", 0}};

/// @param find  (key, low, high): the number, if it is there
template <typename Find>
void read_numbers(const Find& find, const char* temperature, const char* penalty,
                  const std::string& prefix, OwnSampling& own) {
  own.temperature = find(prefix + temperature, 0, 100).value_or(1);
  own.top_k = std::max(0, static_cast<int>(find(prefix + "top_k", -1, kMostTopK).value_or(0)));
  own.top_p = find(prefix + "top_p", 0, 1).value_or(1);
  own.min_p = find(prefix + "min_p", 0, 1).value_or(0);
  own.repetition_penalty = find(prefix + penalty, 0.01, 100).value_or(1);
}

std::optional<OwnSampling> of_folder(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "generation_config.json";
  if (!std::filesystem::exists(path)) return std::nullopt;
  const MappedFile file(path);
  const nlohmann::json parsed = parse_strict_json(file.text(), path.string());
  const JsonObject settings(parsed, path.string());
  if (!settings.flag("do_sample").value_or(false)) return std::nullopt;
  OwnSampling own;
  own.file = path.string();
  read_numbers([&](const std::string& key, double low,
                   double high) { return settings.number(key, low, high); },
               "temperature", "repetition_penalty", "", own);
  for (const auto& [key, off] : kUnknownOfFolders) {
    const nlohmann::json* value = settings.find(key);
    if (value != nullptr && value->is_number() && value->get<double>() != off)
      own.left_out.emplace_back(key);
  }
  return own;
}

/// A number that is stored with 32 bits, as it was written down: 0.95, where the nearest such number is 0.949999988.
double as_written(double stored) {
  const auto single = static_cast<float>(stored);
  if (static_cast<double>(single) != stored) return stored;
  return parse_real(fmt::format("{}", single)).value_or(stored);
}

std::optional<OwnSampling> of_gguf(const std::filesystem::path& path) {
  constexpr std::string_view kPrefix = "general.sampling.";
  const OpenedGguf opened = open_gguf(path);
  bool says_so = false;
  for (const auto& [key, value] : opened.file.metadata())
    says_so = says_so || std::string_view(key).starts_with(kPrefix);
  if (!says_so) return std::nullopt;
  const GgufMetadata settings(opened.file);
  OwnSampling own;
  own.file = path.string();
  const auto find = [&](const std::string& key, double low, double high) -> std::optional<double> {
    const GgufValue* value = opened.file.find(key);
    if (value == nullptr) return std::nullopt;
    if (std::holds_alternative<double>(*value)) return as_written(*settings.number(key, low, high));
    return static_cast<double>(*settings.integer(key, static_cast<std::int64_t>(std::ceil(low)),
                                                 static_cast<std::int64_t>(high)));
  };
  read_numbers(find, "temp", "penalty_repeat", std::string(kPrefix), own);
  for (const auto& [key, off] : kUnknownOfGguf)
    if (find(std::string(key), -1, 100).value_or(off) != off) own.left_out.emplace_back(key);
  return own;
}

}  // namespace

std::optional<OwnSampling> own_sampling(const std::filesystem::path& path) {
  return std::filesystem::is_directory(path) ? of_folder(path) : of_gguf(path);
}

}  // namespace outrider::model
