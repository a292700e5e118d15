/// What kernels are written with: one source for two compilers. nvcc makes device code of it; any C++20 compiler makes
/// functions of it in which a thread of the device is a fiber (emulated/), so that barriers, shuffles and tensor-core
/// products behave as on the device. A kernel uses nothing of CUDA but what is wrapped here.
///
/// Both results are linked into one program, so whatever includes this file is in
///
///     namespace outrider::engine::cuda::OUTRIDER_GPU { … }
///
/// which is `nvidia` or `emulated`, as are the names below, CUDA's own included:
///
///     DEVICE                              a function that kernels call
///     __global__, __launch_bounds__       a kernel; its second number, of blocks on a multiprocessor, lets nvcc use all registers
///                                         that such blocks can have; without it nvcc often stops at 64 and spills
///     __shared__ float x[64];             memory of a block; what a block before left there, or zeros
///     dynamic_shared<T>()                 memory of a block, as much as its launch says
///     LAUNCH(kernel, grid, block, shared_bytes, stream, arguments…)
///     LAUNCH_TOGETHER(…)                  all blocks at once, so that they may wait for each other (cooperative)
///     LAUNCH_EARLY(…)                     may begin before the launch before it has ended: each thread of such a kernel
///                                         calls wait_for_launch_before, and let_next_launch_begin (programmatic dependent launch)
///     threadIdx, blockIdx, blockDim, gridDim, dim3
///     __syncthreads, __syncwarp, __shfl_sync, __shfl_xor_sync, __shfl_down_sync, __ballot_sync
///     mma_u8s8, mma_u8s8_k16              tensor-core products, exact
///     atomicAdd, atomicMax, __threadfence, add_release, load_acquire, store_release, spin_pause
///     __fmaf_rn, __fsqrt_rn, __fdiv_rn, __int2float_rn, __float2int_rn and casts of bits
///     half_bits_to_float, float_to_half_bits
///     __ldcs, __ldg, copy_async_16, copy_async_commit, copy_async_wait<N>, prefetch
///     uint2, uint4, int2; int4, float2, float4 with make_…
///
/// Not modelled by the emulation: that the host's memory is another, registers, speed.
#pragma once

#ifdef __CUDACC__
#include "runtime/engine/cuda/nvidia/nvidia_names.h"
#define OUTRIDER_GPU nvidia
#else
#include "runtime/engine/cuda/emulated/emulated_names.h"
#define OUTRIDER_GPU emulated
#endif
