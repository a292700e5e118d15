#pragma once

#include <memory>
#include <string>

#include "runtime/methods/tree_method.h"

namespace outrider::methods {

/// A draft model's trees with branches merged where they repeat each other.
class Gsd : public TreeMethod {
 public:
  std::string name() const override { return "gsd"; }
  std::string summary() const override {
    return "a draft model's tree, branches merged where they repeat each other";
  }

 protected:
  bool merges() const override { return true; }
  std::unique_ptr<TreeMethod> clone() const override { return std::make_unique<Gsd>(*this); }
};

}  // namespace outrider::methods
