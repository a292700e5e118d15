#pragma once

#include <memory>
#include <string>

#include "runtime/methods/tree_method.h"

namespace outrider::methods {

/// Trees of a draft model.
class Tsd : public TreeMethod {
 public:
  std::string name() const override { return "tsd"; }
  std::string summary() const override { return "a draft model's tree"; }

 protected:
  bool merges() const override { return false; }
  std::unique_ptr<TreeMethod> clone() const override { return std::make_unique<Tsd>(*this); }
};

}  // namespace outrider::methods
