#include "runtime/methods/method.h"

namespace outrider::methods {
namespace {

/// Plain, autoregressive decoding.
class Ar : public Method {
 public:
  std::string name() const override { return "ar"; }
  std::string summary() const override { return "plain decoding"; }
  PreparedMethod prepare(const MethodTarget&) const override {
    Ar resolved;
    return {resolved, {}};
  }
};

}  // namespace

std::unique_ptr<Method> new_ar() { return std::make_unique<Ar>(); }

}  // namespace outrider::methods
