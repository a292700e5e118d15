#include "runtime/engine/cpu/instruction_set.h"

#include <cpuid.h>

#include "runtime/base/error.h"
#include "runtime/engine/cpu/amx/support.h"

namespace outrider::engine::cpu {
namespace {

/// Some compilers' __builtin_cpu_supports does not know F16C.
bool has_f16c() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_F16C) != 0;
}

bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
}

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512vnni");
}

amx::Support amx_support() { return has_avx512() ? amx::support() : amx::Support::kAbsent; }

const Kernels& amx_kernels() {
  switch (amx_support()) {
    case amx::Support::kAbsent:
      throw InputError(
          "--isa amx: this processor, or its system, lacks AMX-TILE, AMX-INT8 or what avx512 "
          "needs; use --isa auto");
    case amx::Support::kRefused:
      throw InputError(
          "--isa amx: the system refuses this process the tiles of AMX; use --isa auto");
    case amx::Support::kDiffers:
      throw InputError(
          "--isa amx: expected the products of avx512 in a test at start, found others; use --isa "
          "auto");
    case amx::Support::kReliable:
      break;
  }
  return amx::kernels();
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
    case Isa::kAmx:
      return amx_kernels();
    case Isa::kAuto:
      break;
  }
  return has_avx512() ? avx512::kKernels : has_avx2() ? avx2::kKernels : scalar::kKernels;
}

std::vector<Isa> available_isas() {
  std::vector<Isa> isas = {Isa::kScalar};
  if (has_avx2()) isas.push_back(Isa::kAvx2);
  if (has_avx512()) isas.push_back(Isa::kAvx512);
  if (amx_support() == amx::Support::kReliable) isas.push_back(Isa::kAmx);
  return isas;
}

std::vector<const Kernels*> available_kernels() {
  const std::vector<Isa> isas = available_isas();
  std::vector<const Kernels*> kernels;
  for (const Isa isa : isas) kernels.push_back(&kernels_for(isa));
  return kernels;
}

}  // namespace outrider::engine::cpu
