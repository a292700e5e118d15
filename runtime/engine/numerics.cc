#include "runtime/engine/numerics.h"

#include <fmt/core.h>

#include <limits>

#include "runtime/base/error.h"
#include "runtime/engine/kv_magnitude.h"

namespace outrider::engine {
namespace {

enum class Kind : std::uint8_t { kQuantised, kTwoBytes, kFloats };

Kind kind_of(const model::Weight& weight) {
  if (model::block_shape(weight.type).numbers > 1) return Kind::kQuantised;
  return weight.type == model::WeightType::kF32 ? Kind::kFloats : Kind::kTwoBytes;
}

/// The first matrix of a kind, or null.
const model::Weight* first_of(const model::Model& model, Kind kind) {
  for (const model::LayerWeights& layer : model.layers)
    for (const model::Weight* w :
         {&layer.q, &layer.k, &layer.v, &layer.o, &layer.gate, &layer.up, &layer.down})
      if (w->rows > 0 && kind_of(*w) == kind) return w;
  for (const model::LayerWeights& layer : model.layers)
    for (const model::ExpertWeights& expert : layer.experts)
      for (const model::Weight* w : {&expert.gate, &expert.up, &expert.down})
        if (kind_of(*w) == kind) return w;
  return kind_of(model.head) == kind ? &model.head : nullptr;
}

[[noreturn]] void refuse(const model::Model& model, const char* flag, const char* expected,
                         const char* cure) {
  const model::Weight& found = model.layers.empty() ? model.head : model.layers.front().q;
  throw InputError(fmt::format("{}: {} holds {} as {}, expected {}; {}", flag, model.path.string(),
                               found.name, model::type_name(found.type), expected, cure));
}

const char* kv_name(KvType kv) {
  switch (kv) {
    case KvType::kF32:
      return " kv f32";
    case KvType::kF16:
      return " kv f16";
    case KvType::kQ8_0:
      break;
  }
  return " kv q8_0";
}

}  // namespace

std::string NumericsPlan::name() const {
  std::string name = numerics == Numerics::kF32    ? "f32"
                     : numerics == Numerics::kBf16 ? "bf16"
                                                   : "int8";
  if (quantise) name += " (q8_0)";
  if (kv != usual_kv(numerics)) name += kv_name(kv);
  return name;
}

float NumericsPlan::kv_bound() const {
  constexpr float kHalf = 65520;  // rounds to 65,536, the first number that a half does not have
  constexpr float kNone = std::numeric_limits<float>::infinity();
  if (for_drafts) return kNone;
  switch (kv) {
    case KvType::kF16:
      return kHalf;
    case KvType::kQ8_0:
      return 127 * kHalf;  // the scale is a half, and quants are up to 127
    case KvType::kF32:
      break;
  }
  return kNone;
}

KvType usual_kv(Numerics numerics) {
  return numerics == Numerics::kF32 ? KvType::kF32 : KvType::kF16;
}

NumericsPlan plan_numerics(const model::Model& model, Numerics numerics, bool quantise,
                           std::optional<KvType> kv) {
  const bool has_quantised = first_of(model, Kind::kQuantised) != nullptr;
  const bool has_two_bytes = first_of(model, Kind::kTwoBytes) != nullptr;
  const bool has_floats = has_two_bytes || first_of(model, Kind::kFloats) != nullptr;
  if (quantise && !has_floats)
    refuse(model, "--quantise", "float weights", "leave the flag out: they are quantised already");
  if (quantise && (numerics == Numerics::kF32 || numerics == Numerics::kBf16))
    throw InputError("--quantise: quantised weights need --numerics int8 or auto");
  if (numerics == Numerics::kInt8 && !has_quantised && !quantise)
    refuse(model, "--numerics int8", "quantised weights", "--quantise q8_0 makes them at load");
  if (numerics == Numerics::kBf16 && (has_quantised || !has_two_bytes))
    refuse(model, "--numerics bf16", "bf16 or f16 weights", "use --numerics auto");
  if (numerics == Numerics::kAuto) {
    numerics = has_quantised || quantise ? Numerics::kInt8
               : has_two_bytes           ? Numerics::kBf16
                                         : Numerics::kF32;
  }
  if (!kv && usual_kv(numerics) == KvType::kF16 && likely_beyond_half(model)) kv = KvType::kF32;
  return {numerics, quantise, kv.value_or(usual_kv(numerics))};
}

}  // namespace outrider::engine
