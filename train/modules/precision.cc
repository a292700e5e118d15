#include "train/modules/precision.h"

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/cpu/Utils.h>
#include <fmt/core.h>
#include <fmt/ranges.h>

#include "runtime/base/error.h"

namespace outrider::train {
namespace {

bool has_capability(const char* name) {
  const auto all = at::cpu::get_cpu_capabilities();
  const auto found = all.find(name);
  return found != all.end() && found->second.isBool() && found->second.toBool();
}

// oneDNN's product of dense operands, whatever their strides.
at::Tensor onednn_product(const at::Tensor& a, const at::Tensor& b) {
  using Scalars = c10::List<std::optional<at::Scalar>>;
  using Product = at::Tensor(const at::Tensor&, const at::Tensor&, const std::optional<at::Tensor>&,
                             c10::string_view, Scalars, std::optional<c10::string_view>);
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("mkldnn::_linear_pointwise", "")
                             .typed<Product>();
  return op.call(a, b, std::nullopt, "none", Scalars(), std::nullopt);
}

}  // namespace

const std::vector<std::string>& precision_names() {
  static const std::vector<std::string> names = {"auto", "bf16", "f32"};
  return names;
}

Precision precision_of(std::string_view name, at::Device device) {
  if (name == "auto") return has_bf16_products(device) ? Precision::kBf16 : Precision::kF32;
  if (name == "bf16") return Precision::kBf16;
  if (name == "f32") return Precision::kF32;
  throw InputError(fmt::format("unknown precision '{}'; expected one of {}", name,
                               fmt::join(precision_names(), ", ")));
}

const char* name_of(Precision precision) { return precision == Precision::kBf16 ? "bf16" : "f32"; }

bool has_bf16_products(at::Device device) {
  static const bool has = has_capability("avx512_bf16") || has_capability("amx_bf16");
  return has || !device.is_cpu();
}

at::Tensor operand(const at::Tensor& x, Precision precision) {
  return precision == Precision::kBf16 ? x.to(at::kBFloat16) : x;
}

at::Tensor product(const at::Tensor& a, const at::Tensor& b) {
  const bool f32 = a.is_cpu() && a.scalar_type() == at::kFloat && at::hasMKLDNN() && a.size(0) > 0;
  return f32 ? onednn_product(a, b) : at::mm(a, b.t());
}

}  // namespace outrider::train
