#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/jinja/budget.h"
#include "runtime/jinja/civil_time.h"
#include "runtime/jinja/value.h"

namespace outrider::jinja {

/// One rendering of a template, as functions, filters and tests see it.
class Rendering {
 public:
  Rendering(const Limits& limits, const CivilTime& now) : budget(limits), now_(now) {}
  virtual ~Rendering();
  Rendering(const Rendering&) = delete;
  Rendering& operator=(const Rendering&) = delete;

  Budget budget;

  const CivilTime& now() const { return now_; }

  /// A new object, which lives until the rendering ends: objects can hold each other.
  template <typename T, typename... Parts>
  std::shared_ptr<T> make(Parts&&... parts) {
    auto object = std::make_shared<T>(std::forward<Parts>(parts)...);
    keep(object);
    return object;
  }
  void keep(ObjectPtr object) {
    budget.step();
    objects_.push_back(std::move(object));
  }

  /// @throws Fault if it cannot be called
  Value call(const Value& callee, const Arguments& arguments);
  /// @throws Fault for an unknown name or wrong arguments
  Value filter(const std::string& name, const Value& subject, const Arguments& arguments);
  bool test(const std::string& name, const Value& subject, const Arguments& arguments);
  /// The value as text, as `{{ }}` writes it.
  Text write(const Value& value);

 private:
  CivilTime now_;
  std::vector<ObjectPtr> objects_;
};

}  // namespace outrider::jinja
