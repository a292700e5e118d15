#include "runtime/engine/cpu/amx/support.h"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime/engine/cpu/amx/products.h"

namespace outrider::engine::cpu::amx {
namespace {

/// Whether the processor has tiles and their products of bytes, and the operating system saves them
/// on a context switch (Intel SDM, volume 1, 13.3 and 18.1).
bool has_tiles() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kXgetbv = 1u << 27;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & kXgetbv) == 0) return false;
  unsigned kept = 0, kept_high = 0;
  asm volatile("xgetbv" : "=a"(kept), "=d"(kept_high) : "c"(0));
  constexpr unsigned kTileState = 3u << 17;
  if ((kept & kTileState) != kTileState) return false;
  constexpr unsigned kTileAndInt8 = 3u << 24;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & kTileAndInt8) == kTileAndInt8;
}

/// Linux gives the 8 KB of tile state only to processes that request it; the permission covers all
/// their threads.
bool ask_for_tiles() {
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;               // XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

Support find_out() {
  if (!has_tiles()) return Support::kAbsent;
  if (!ask_for_tiles()) return Support::kRefused;
  return make_same_products(kernels(), avx512::kKernels) ? Support::kReliable : Support::kDiffers;
}

}  // namespace

Support support() {
  static const Support found = find_out();
  return found;
}

const Kernels& kernels() {
  static const Kernels kernels = with_products("amx", kProducts, avx512::kKernels);
  return kernels;
}

}  // namespace outrider::engine::cpu::amx
