#include <fmt/core.h>

#include "runtime/certify/certificate.h"
#include "runtime/model/identity.h"
#include "tests/device_check/check.h"
#include "tests/device_check/golden_json.h"  // made of tests/golden/engine_bits.json
#include "tests/support/golden_models.h"

namespace outrider::device_check {
namespace {

constexpr int kShort = test::GoldenModel::kShort;

/// What is found of one model after another.
class GoldenBits {
 public:
  explicit GoldenBits(Check& check) : check_(check), found_(check.found["golden"]) {}

  /// The hash of the fixed text, whole and with the work of a product divided among warps.
  void compare(const std::string& name, const cuda::GpuEngine& engine, int tokens,
               const std::string& expected) {
    for (const int workers : {1, 2}) {
      const std::string hash = fmt::format(
          "{:016x}", certify::hash_of_fixed_text(*engine.with_workers(workers), tokens));
      const bool same = hash == expected;
      ++all_;
      equal_ += same ? 1 : 0;
      found_[name] = hash;
      if (!same)
        check_.fail(fmt::format("golden bits of {}, workers {}: expected {}, found {}", name,
                                workers, expected, hash));
    }
  }

  void tell() {
    found_["equal"] = equal_;
    Check::say(fmt::format("golden bits: {} of {} equal", equal_, all_));
  }

 private:
  Check& check_;
  Json& found_;
  int equal_ = 0, all_ = 0;
};

/// Of tiny models, every kind of weights.
void compare_tiny_models(const Check& check, const nlohmann::json& golden, GoldenBits& bits) {
  auto models = test::golden_models();
  const auto long_texts = test::golden_models_of_long_texts();
  models.insert(models.end(), long_texts.begin(), long_texts.end());
  for (std::size_t i = 0; i < models.size(); ++i) {
    const test::GoldenModel& tiny = models[i];
    // A sanitizer, and the emulation, whose own tests try all of them, would take minutes.
    if (check.settings.tiny && tiny.tokens > kShort) continue;
    if (check.settings.emulated && i % 5 != 0) continue;
    const auto bytes = tiny.bytes();
    const model::Model model = tiny.parsed(bytes);
    bits.compare(tiny.name(), *check.engine(model, {.quantise = tiny.quantise, .kv = tiny.kv}),
                 tiny.tokens, golden.value(tiny.name(), "none"));
  }
}

/// Of the model that is decoded by default, if --model is its file: both numerics, and texts of three splits of attention.
void compare_default_model(const Check& check, const nlohmann::json& golden, GoldenBits& bits) {
  const model::Model model = model::load_model(check.settings.model);
  if (model::model_hash(model) != golden.at("model_hash"))
    return Check::say(fmt::format("golden bits: none are committed of {}, only of {}",
                                  check.settings.model, golden.at("model").get<std::string>()));
  for (const auto& [name, numerics] :
       {std::pair{"int8", engine::Numerics::kInt8}, std::pair{"f32", engine::Numerics::kF32}}) {
    const auto engine = check.engine(model, {.numerics = numerics});
    bits.compare(name, *engine, kShort, golden.at(name));
    if (check.settings.tiny && !check.settings.whole) continue;  // the emulation takes minutes
    const std::string whole = fmt::format("{}, {} tokens", name, certify::kFixedTextTokens);
    bits.compare(whole, *engine, certify::kFixedTextTokens, golden.at(whole));
  }
}

}  // namespace

void check_golden_bits(Check& check) {
  const auto golden = nlohmann::json::parse(kGoldenBits);
  GoldenBits bits(check);
  compare_tiny_models(check, golden["tiny"], bits);
  if (!check.settings.model.empty()) compare_default_model(check, golden, bits);
  bits.tell();
}

}  // namespace outrider::device_check
