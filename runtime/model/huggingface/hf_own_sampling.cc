#include <nlohmann/json.hpp>
#include <string_view>

#include "runtime/model/huggingface/load_hf_folder.h"
#include "runtime/model/json_object.h"
#include "runtime/model/mapped_file.h"
#include "runtime/model/strict_json.h"

namespace outrider::model {
namespace {

/// A key that changes the text, and the value at which it does not.
struct UnknownSampling {
  std::string_view key;
  double off;
};
constexpr UnknownSampling kUnknownSampling[] = {{"num_beams", 1},
                                                {"typical_p", 1},
                                                {"epsilon_cutoff", 0},
                                                {"eta_cutoff", 0},
                                                {"no_repeat_ngram_size", 0}};

}  // namespace

std::optional<OwnSampling> hf_own_sampling(const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "generation_config.json";
  if (!std::filesystem::exists(path)) return std::nullopt;
  const MappedFile file(path);
  const nlohmann::json parsed = parse_strict_json(file.text(), path.string());
  const JsonObject settings(parsed, path.string());
  if (!settings.flag("do_sample").value_or(false)) return std::nullopt;
  OwnSampling own = read_own_sampling([&](const std::string& key, double low,
                                          double high) { return settings.number(key, low, high); },
                                      "", "temperature", "repetition_penalty");
  own.file = path.string();
  for (const auto& [key, off] : kUnknownSampling) {
    const nlohmann::json* value = settings.find(key);
    if (value != nullptr && value->is_number() && value->get<double>() != off)
      own.left_out.emplace_back(key);
  }
  return own;
}

}  // namespace outrider::model
