#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/model/model.h"

namespace outrider::engine {

/// How keys and values are kept.
enum class KvType : std::uint8_t { kF32, kF16 };

/// How products are computed.
/// kF32: weights as floats, keys and values too: the reference.
/// kInt8: quantised weights as they are in the file, activations quantised in blocks of 32; float
///        matrices beside them as under kBf16.
/// kBf16: bf16 and f16 weights at their two bytes, widened to floats.
/// kInt8 and kBf16 keep keys and values in half precision, unless told otherwise.
enum class Numerics : std::uint8_t { kAuto, kF32, kInt8, kBf16 };

/// What an engine does with one model's weights.
struct NumericsPlan {
  Numerics numerics = Numerics::kF32;  // never kAuto
  bool quantise = false;               // float matrices to Q8_0 at load
  KvType kv = KvType::kF32;            // how keys and values are kept

  /// Whether products take quantised activations.
  bool quantised() const { return numerics == Numerics::kInt8; }
  /// "f32", "int8", "bf16", "int8 (q8_0)" for weights that were quantised at load; keys and values of
  /// another type than is usual are named too: "int8 kv f32".
  std::string name() const;
};

/// The type of keys and values that a kind of products keeps unless told otherwise.
KvType usual_kv(Numerics numerics);

/// kAuto is kInt8 where there are quantised weights, else kBf16 where there are two-byte ones.
/// @param kv  nothing: what is usual
/// @throws InputError when the model's weights are not of the kind asked for
NumericsPlan plan_numerics(const model::Model& model, Numerics numerics, bool quantise,
                           std::optional<KvType> kv = {});

}  // namespace outrider::engine
