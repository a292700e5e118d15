#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "runtime/jinja/value.h"

namespace outrider::jinja {

/// `loop` inside a loop.
class Loop : public Object, public std::enable_shared_from_this<Loop> {
 public:
  /// Renders the loop again over other elements, one level deeper; empty if it is not recursive.
  using Again = std::function<Value(const Value& elements, std::size_t depth)>;

  /// @param depth  from 0
  Loop(std::vector<Value> elements, std::size_t depth, Again again)
      : elements_(std::move(elements)), depth_(depth), again_(std::move(again)) {}

  const std::vector<Value>& elements() const { return elements_; }
  void go_to(std::size_t index) { index_ = index; }

  const char* type() const override { return "a loop"; }
  bool is_callable() const override { return again_ != nullptr; }
  Value call(Rendering& rendering, const Arguments& arguments) override;
  std::optional<Value> attribute(const std::string& name) const override;

  /// One of the values, in turns.
  Value cycle(const std::vector<Value>& values) const;
  /// Whether the values differ from those of the call before.
  bool changed(std::vector<Value> values);

  void clear() override {
    elements_.clear();
    last_.clear();
  }

 private:
  std::vector<Value> elements_;
  std::size_t index_ = 0;
  std::size_t depth_;
  Again again_;
  std::vector<Value> last_;  // of `changed`
  bool was_asked_ = false;
};

}  // namespace outrider::jinja
