#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "runtime/engine/cuda/device.h"
#include "runtime/engine/cuda/nvidia/cuda_check.h"

// The names of runtime/engine/cuda/gpu.h that CUDA lacks, for nvcc. emulated/names.h says what each does.

#define DEVICE __device__ __forceinline__
#define LAUNCH(kernel, ...) \
  ::outrider::engine::cuda::nvidia::launch(#kernel, LaunchKind::kOrdinary, kernel, __VA_ARGS__)
#define LAUNCH_TOGETHER(kernel, ...) \
  ::outrider::engine::cuda::nvidia::launch(#kernel, LaunchKind::kTogether, kernel, __VA_ARGS__)
#define LAUNCH_EARLY(kernel, ...) \
  ::outrider::engine::cuda::nvidia::launch(#kernel, LaunchKind::kEarly, kernel, __VA_ARGS__)

namespace outrider::engine::cuda::nvidia {

/// What a block may have without asking first: of 48 KiB less what a kernel has in variables of its own.
inline constexpr std::size_t kUsualSharedBytes = 32 << 10;

enum class LaunchKind : std::uint8_t { kOrdinary, kTogether, kEarly };

/// @throws std::runtime_error for a launch that the device refuses
template <typename... Parameters, typename... Arguments>
void launch(const char* name, LaunchKind kind, void (*kernel)(Parameters...), dim3 grid, dim3 block,
            std::size_t shared_bytes, Stream stream, Arguments... arguments) {
  if (shared_bytes > kUsualSharedBytes)
    check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared_bytes)),
          name);
  cudaLaunchAttribute attribute{};
  if (kind == LaunchKind::kTogether) {
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
  } else {
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  config.stream = static_cast<cudaStream_t>(stream.handle);
  config.attrs = &attribute;
  config.numAttrs = kind == LaunchKind::kOrdinary ? 0 : 1;
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), name);
}

template <typename T>
DEVICE T* dynamic_shared() {
  extern __shared__ __align__(16) unsigned char outrider_dynamic_shared[];
  return reinterpret_cast<T*>(outrider_dynamic_shared);
}

// A tensor-core product is executed by all lanes of a warp. It is volatile, since nvcc lets lanes that do not use its result
// skip it otherwise.
DEVICE void mma_u8s8(int (&d)[4], const std::uint32_t (&a)[4], const std::uint32_t (&b)[2],
                     const int (&c)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, "
      "%9}, {%10, %11, %12, %13};"
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(c[0]), "r"(c[1]),
        "r"(c[2]), "r"(c[3]));
}
DEVICE void mma_u8s8_k16(int (&d)[4], const std::uint32_t (&a)[2], std::uint32_t b,
                         const int (&c)[4]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, "
      "%9, %10};"
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(b), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
}

#if __CUDA_ARCH__ >= 900
DEVICE void wait_for_launch_before() { asm volatile("griddepcontrol.wait;" ::: "memory"); }
DEVICE void let_next_launch_begin() { asm volatile("griddepcontrol.launch_dependents;"); }
#else
DEVICE void wait_for_launch_before() {}
DEVICE void let_next_launch_begin() {}
#endif

DEVICE unsigned add_release(unsigned* at, unsigned value) {
  unsigned old;
  asm volatile("atom.add.acq_rel.gpu.global.u32 %0, [%1], %2;"
               : "=r"(old)
               : "l"(at), "r"(value)
               : "memory");
  return old;
}
DEVICE void store_release(unsigned* at, unsigned value) {
  asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}
DEVICE unsigned load_acquire(const unsigned* at) {
  unsigned value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  return value;
}
DEVICE void spin_pause() {}

DEVICE float half_bits_to_float(std::uint16_t bits) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
}
DEVICE std::uint16_t float_to_half_bits(float value) {
  std::uint16_t bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
}

DEVICE void copy_async_16(void* shared, const void* global) {
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
}
DEVICE void copy_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int groups>
DEVICE void copy_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
}
DEVICE void prefetch(const void* at) { asm volatile("prefetch.global.L2 [%0];" ::"l"(at)); }

}  // namespace outrider::engine::cuda::nvidia
