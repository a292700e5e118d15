#include "runtime/jinja/loop.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "runtime/jinja/fault.h"
#include "runtime/jinja/parameters.h"
#include "runtime/jinja/rendering.h"

namespace outrider::jinja {
namespace {

/// `loop.cycle` or `loop.changed`.
class LoopMethod : public Object {
 public:
  LoopMethod(std::shared_ptr<Loop> loop, bool is_cycle)
      : loop_(std::move(loop)), is_cycle_(is_cycle) {}
  const char* type() const override { return "a method"; }
  Value call(Rendering& rendering, const Arguments& arguments) override {
    if (!arguments.named.empty()) throw Fault("a loop's method takes no arguments with names");
    for (const Value& value : arguments.positional) rendering.budget.step(value.extent().values);
    if (is_cycle_) return loop_->cycle(arguments.positional);
    return loop_->changed(arguments.positional);
  }

 private:
  std::shared_ptr<Loop> loop_;
  bool is_cycle_;
};

}  // namespace

Value Loop::call(Rendering& /*rendering*/, const Arguments& arguments) {
  if (!again_) throw Fault("a loop that calls itself needs 'recursive'");
  const Parameters given("loop", arguments, {"iterable"});
  return again_(given.value(0), depth_ + 1);
}

std::optional<Value> Loop::attribute(const std::string& name) const {
  const std::size_t size = elements_.size();
  if (name == "index") return Value::size(index_ + 1);
  if (name == "index0") return Value::size(index_);
  if (name == "revindex") return Value::size(size - index_);
  if (name == "revindex0") return Value::size(size - index_ - 1);
  if (name == "first") return index_ == 0;
  if (name == "last") return index_ + 1 == size;
  if (name == "length") return Value::size(size);
  if (name == "depth") return Value::size(depth_ + 1);
  if (name == "depth0") return Value::size(depth_);
  if (name == "previtem") {
    return index_ > 0 ? elements_[index_ - 1] : Value::undefined("there is no previous element");
  }
  if (name == "nextitem") {
    return index_ + 1 < size ? elements_[index_ + 1] : Value::undefined("there is no next element");
  }
  if (name == "cycle" || name == "changed") {
    auto self = std::const_pointer_cast<Loop>(shared_from_this());
    return ObjectPtr(std::make_shared<LoopMethod>(std::move(self), name == "cycle"));
  }
  return std::nullopt;
}

Value Loop::cycle(const std::vector<Value>& values) const {
  if (values.empty()) throw Fault("loop.cycle needs values");
  return values[index_ % values.size()];
}

bool Loop::changed(std::vector<Value> values) {
  const bool same =
      was_asked_ && std::equal(values.begin(), values.end(), last_.begin(), last_.end(), equal);
  was_asked_ = true;
  last_ = std::move(values);
  return !same;
}

}  // namespace outrider::jinja
