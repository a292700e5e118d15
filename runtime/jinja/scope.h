#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/jinja/value.h"

namespace outrider::jinja {

/// The variables of a template, a loop's body or a macro's; what it lacks is looked up around it.
class Scope {
 public:
  explicit Scope(Scope* around) : around_(around) {}

  void set(const std::string& name, Value value) {
    for (auto& [known, old] : variables_) {
      if (known == name) {
        old = std::move(value);
        return;
      }
    }
    variables_.emplace_back(name, std::move(value));
  }

  const Value* find(const std::string& name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->around_) {
      for (const auto& [known, value] : scope->variables_) {
        if (known == name) return &value;
      }
    }
    return nullptr;
  }

  /// Says that a macro looks up its names here, so that the scope has to live as long.
  void hold() {
    for (Scope* scope = this; scope != nullptr && !scope->held_; scope = scope->around_)
      scope->held_ = true;
  }
  bool is_held() const { return held_; }
  void clear() { variables_.clear(); }

 private:
  Scope* around_;
  bool held_ = false;
  std::vector<std::pair<std::string, Value>> variables_;
};

}  // namespace outrider::jinja
