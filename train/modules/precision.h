#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <string_view>
#include <vector>

namespace outrider::train {

/// How the large products are computed. kF32: as the tensors are. kBf16: operands rounded to bf16, sums in
/// f32, results rounded to bf16; parameters, the residual stream and the losses stay f32.
enum class Precision { kF32, kBf16 };

/// "auto", "bf16", "f32".
const std::vector<std::string>& precision_names();
/// "auto" is bf16 where the device has products of it.
/// @throws InputError listing the names there are
Precision precision_of(std::string_view name, at::Device device = at::kCPU);
/// "f32", "bf16"
const char* name_of(Precision precision);

/// Whether the device multiplies bf16 itself: a processor with AVX-512 BF16 or AMX, and every GPU that LibTorch
/// has kernels for; elsewhere bf16 is slower than f32.
bool has_bf16_products(at::Device device = at::kCPU);

/// `x` as an operand of a product: rounded to bf16 under kBf16, else unchanged.
at::Tensor operand(const at::Tensor& x, Precision precision);

/// a bᵀ, [m, k] and [n, k] -> [m, n], in the operands' type. On processors f32 goes through oneDNN: MKL, which ATen
/// would take, has half its rate on processors that are not Intel's.
at::Tensor product(const at::Tensor& a, const at::Tensor& b);

}  // namespace outrider::train
