#pragma once

/// Before a function that kernels of a GPU call too. What bears it is compiled by two compilers to the same bits: without
/// libm, containers of the standard library and fused multiply-adds that are not written out.
#ifdef __CUDACC__
#define OUTRIDER_HD __host__ __device__
#else
#define OUTRIDER_HD
#endif
