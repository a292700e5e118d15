#pragma once

#include <string>
#include <utility>

#include "runtime/jinja/value.h"

namespace outrider::jinja {

/// `namespace()`: attributes that a template can assign from anywhere.
class NamespaceObject : public Object {
 public:
  explicit NamespaceObject(Dict attributes) : attributes_(std::move(attributes)) {}

  const char* type() const override { return "a namespace"; }
  bool is_callable() const override { return false; }
  std::optional<Value> attribute(const std::string& name) const override {
    const Value* found = attributes_.named(name);
    return found == nullptr ? std::nullopt : std::optional(*found);
  }
  void set(const std::string& name, Value value) { attributes_.set(Value(name), std::move(value)); }
  void clear() override { attributes_ = {}; }

 private:
  Dict attributes_;
};

}  // namespace outrider::jinja
