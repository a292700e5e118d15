#include "runtime/engine/instruction_set.h"

#include "runtime/base/error.h"

namespace outrider::engine {
namespace {

bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("f16c");
}

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512vnni");
}

}  // namespace

const Kernels& kernels_for(Isa isa) {
  switch (isa) {
    case Isa::kScalar:
      return scalar::kKernels;
    case Isa::kAvx2:
      if (!has_avx2())
        throw InputError("--isa avx2: this processor lacks AVX2, FMA or F16C; use --isa auto");
      return avx2::kKernels;
    case Isa::kAvx512:
      if (!has_avx512())
        throw InputError(
            "--isa avx512: this processor lacks AVX-512 F, BW, DQ, VL or VNNI; use --isa auto");
      return avx512::kKernels;
    case Isa::kAuto:
      break;
  }
  if (has_avx512()) return avx512::kKernels;
  return has_avx2() ? avx2::kKernels : scalar::kKernels;
}

std::vector<Isa> available_isas() {
  std::vector<Isa> isas = {Isa::kScalar};
  if (has_avx2()) isas.push_back(Isa::kAvx2);
  if (has_avx512()) isas.push_back(Isa::kAvx512);
  return isas;
}

}  // namespace outrider::engine
