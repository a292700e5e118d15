#pragma once

#include <stdexcept>
#include <string>

namespace outrider::jinja {

/// A mistake in a template, or in what it is given. The position is added where it is known
/// (template.h).
class Fault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What a template says through `raise_exception`.
class Refusal : public Fault {
 public:
  using Fault::Fault;
};

}  // namespace outrider::jinja
