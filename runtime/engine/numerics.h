#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/engine/kv_type.h"
#include "runtime/model/model.h"

namespace outrider::engine {

/// The arithmetic of matrix products.
/// kF32: weights as floats, keys and values too: the reference.
/// kInt8: quantised weights as stored in the file, activations quantised in blocks of 32; float
/// matrices of the same model as in kBf16.
/// kBf16: bf16 and f16 weights in two bytes, widened to floats.
/// kInt8 and kBf16 store keys and values in half precision, unless --kv overrides it.
enum class Numerics : std::uint8_t { kAuto, kF32, kInt8, kBf16 };

/// How an engine stores and uses one model's weights.
struct NumericsPlan {
  Numerics numerics = Numerics::kF32;  // never kAuto
  bool quantise = false;               // float matrices to Q8_0 at load
  KvType kv = KvType::kF32;            // type of cached keys and values
  bool for_drafts = false;             // as EngineOptions::for_drafts

  /// Whether products take quantised activations.
  bool quantised() const { return numerics == Numerics::kInt8; }
  /// "f32", "int8", "bf16", "int8 (q8_0)" for weights quantised at load; keys and values of another
  /// type than the default are named too: "int8 kv f32".
  std::string name() const;
  /// Rows with keys or values of this magnitude or more cannot be committed: the cache would hold infinities. Infinite
  /// where every number can be stored, and for drafts.
  float kv_bound() const;
};

/// The default type of keys and values for a kind of products.
KvType usual_kv(Numerics numerics);

/// kAuto is kInt8 where there are quantised weights, otherwise kBf16 where there are two-byte ones.
/// @param kv  nothing: the default
/// @throws InputError when the model has no weights of the requested kind
NumericsPlan plan_numerics(const model::Model& model, Numerics numerics, bool quantise,
                           std::optional<KvType> kv = {});

}  // namespace outrider::engine
