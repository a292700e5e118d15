#pragma once

#include <cstddef>
#include <string>

#include "runtime/jinja/fault.h"

namespace outrider::jinja {

/// A mistake in a template's source.
class Mistake : public Fault {
 public:
  /// @param at  offset in the source
  Mistake(const std::string& what, std::size_t at) : Fault(what), at_(at) {}
  std::size_t at() const { return at_; }

 private:
  std::size_t at_;
};

}  // namespace outrider::jinja
