#include "train/trainer/arithmetic.h"

#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <utility>

#include "train/modules/linear.h"

namespace outrider::train {
namespace {

/// Matrix products: the name of ATen's operation, and the type of its first operand.
using Products = std::set<std::pair<std::string, at::ScalarType>>;

/// Those that `f` makes.
Products products_of(const std::function<void()>& f) {
  static Products found;
  found.clear();
  const auto note = [](const at::RecordFunction& function) {
    const std::string name = function.name();
    if (name.ends_with("::mm") || name.ends_with("::_linear_pointwise"))
      found.emplace(name, function.inputs()[0].toTensor().scalar_type());
    return std::unique_ptr<at::ObserverContext>();
  };
  const auto handle =
      at::addThreadLocalCallback(at::RecordFunctionCallback(note).needsInputs(true));
  f();
  at::removeCallback(handle);
  return found;
}

TEST(PeakFlops, AreOfTheProductsThatTheModulesMake) {
  const at::Tensor x = at::ones({8, 16}), w = at::ones({4, 16});
  for (const Precision precision : {Precision::kF32, Precision::kBf16}) {
    const Products expected = products_of([&] { linear(x, w, precision); });
    ASSERT_EQ(expected.size(), 1u);
    EXPECT_EQ(expected.begin()->second, precision == Precision::kBf16 ? at::kBFloat16 : at::kFloat);
    double peak = 0;
    EXPECT_EQ(products_of([&] { peak = measure_peak_flops(precision, at::kCPU); }), expected);
    EXPECT_GT(peak, 0);
  }
}

}  // namespace
}  // namespace outrider::train
