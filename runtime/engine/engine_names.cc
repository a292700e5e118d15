#include "runtime/engine/engine_names.h"

#include <fmt/core.h>

#include "runtime/base/error.h"

namespace outrider::engine {

Numerics numerics_of(std::string_view name) {
  if (name == "auto") return Numerics::kAuto;
  if (name == "f32") return Numerics::kF32;
  if (name == "int8") return Numerics::kInt8;
  if (name == "bf16") return Numerics::kBf16;
  throw InputError(fmt::format("--numerics {}: expected auto, f32, int8 or bf16", name));
}

Isa isa_of(std::string_view name) {
  if (name == "auto") return Isa::kAuto;
  if (name == "scalar") return Isa::kScalar;
  if (name == "avx2") return Isa::kAvx2;
  if (name == "avx512") return Isa::kAvx512;
  throw InputError(fmt::format("--isa {}: expected auto, scalar, avx2 or avx512", name));
}

}  // namespace outrider::engine
