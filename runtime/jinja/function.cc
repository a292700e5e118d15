#include "runtime/jinja/function.h"

#include <fmt/core.h>

#include <map>
#include <memory>

#include "runtime/jinja/namespace_object.h"
#include "runtime/jinja/operators.h"
#include "runtime/jinja/parameters.h"
#include "runtime/jinja/rendering.h"

namespace outrider::jinja {
namespace {

using Code = Value (*)(Rendering&, const Arguments&);

class Function : public Object {
 public:
  explicit Function(Code code) : code_(code) {}
  const char* type() const override { return "a function"; }
  Value call(Rendering& rendering, const Arguments& arguments) override {
    return code_(rendering, arguments);
  }

 private:
  Code code_;
};

/// As in Jinja's sandbox.
constexpr std::int64_t kLongestRange = 100'000;

Value range(Rendering& rendering, const Arguments& arguments) {
  const Parameters given("range", arguments, {"start", "stop", "step"});
  const bool from_zero = !given.has(1);
  given.value(0);
  const std::int64_t start = from_zero ? 0 : given.integer(0, 0);
  const std::int64_t stop = given.integer(from_zero ? 0 : 1, 0);
  const std::int64_t step = given.integer(2, 1);
  if (step == 0) throw Fault("range: the step is zero");
  std::vector<Value> all;
  for (std::int64_t at = start; step > 0 ? at < stop : at > stop;) {
    if (static_cast<std::int64_t>(all.size()) == kLongestRange)
      throw Fault(fmt::format("range: longer than {}", kLongestRange));
    rendering.budget.step();
    all.emplace_back(at);
    if (__builtin_add_overflow(at, step, &at)) break;
  }
  return Value::list(std::move(all));
}

Dict dict_of(Rendering& rendering, const Arguments& arguments) {
  Dict made;
  if (arguments.positional.size() > 1) throw Fault("dict: expected one argument without a name");
  if (!arguments.positional.empty()) {
    const Value& from = arguments.positional.front();
    if (const Dict* dict = from.dict()) {
      rendering.budget.step(dict->items().size());
      made = *dict;
    } else {
      need_defined(from);
      for (const Value& pair : elements_of(from, rendering.budget)) {
        const std::vector<Value> both = elements_of(pair, rendering.budget);
        if (both.size() != 2) throw Fault("dict: expected pairs of a key and a value");
        made.set(both[0], both[1]);
      }
    }
  }
  for (const auto& [name, value] : arguments.named) made.set(Value(name), value);
  return made;
}

Value make_dict(Rendering& rendering, const Arguments& arguments) {
  return dict_of(rendering, arguments);
}

Value make_namespace(Rendering& rendering, const Arguments& arguments) {
  return ObjectPtr(rendering.make<NamespaceObject>(dict_of(rendering, arguments)));
}

/// Gives its values in turns.
class Cycler : public Object {
 public:
  explicit Cycler(std::vector<Value> values) : values_(std::move(values)) {}
  const char* type() const override { return "a cycler"; }
  bool is_callable() const override { return false; }
  std::optional<Value> attribute(const std::string& name) const override;
  Value next() {
    const Value now = values_[place_];
    place_ = (place_ + 1) % values_.size();
    return now;
  }
  void reset() { place_ = 0; }
  void clear() override {
    values_.assign(1, {});
    place_ = 0;
  }

 private:
  std::vector<Value> values_;
  std::size_t place_ = 0;
};

/// A cycler's `next` or `reset`.
class CyclerMethod : public Object {
 public:
  CyclerMethod(Cycler& cycler, bool is_next) : cycler_(cycler), is_next_(is_next) {}
  const char* type() const override { return "a method"; }
  Value call(Rendering& /*rendering*/, const Arguments& arguments) override {
    const Parameters none("a cycler", arguments, {});
    if (is_next_) return cycler_.next();
    cycler_.reset();
    return None{};
  }

 private:
  Cycler& cycler_;  // lives until the rendering ends
  bool is_next_;
};

std::optional<Value> Cycler::attribute(const std::string& name) const {
  if (name == "current") return values_[place_];
  if (name != "next" && name != "reset") return std::nullopt;
  return ObjectPtr(std::make_shared<CyclerMethod>(const_cast<Cycler&>(*this), name == "next"));
}

Value make_cycler(Rendering& rendering, const Arguments& arguments) {
  if (arguments.positional.empty() || !arguments.named.empty())
    throw Fault("cycler: expected at least one argument, none with a name");
  return ObjectPtr(rendering.make<Cycler>(arguments.positional));
}

/// Nothing at its first call, then the separator.
class Joiner : public Object {
 public:
  explicit Joiner(Value separator) : separator_(std::move(separator)) {}
  const char* type() const override { return "a joiner"; }
  Value call(Rendering& /*rendering*/, const Arguments& /*arguments*/) override {
    return std::exchange(used_, true) ? separator_ : Value("");
  }
  void clear() override { separator_ = {}; }

 private:
  Value separator_;
  bool used_ = false;
};

Value make_joiner(Rendering& rendering, const Arguments& arguments) {
  const Parameters given("joiner", arguments, {"sep"});
  return ObjectPtr(rendering.make<Joiner>(given.has(0) ? given.value(0) : Value(", ")));
}

Value raise(Rendering& rendering, const Arguments& arguments) {
  const Parameters given("raise_exception", arguments, {"message"});
  throw Refusal(rendering.write(given.value(0)).bytes());
}

Value format_now(Rendering& rendering, const Arguments& arguments) {
  const Parameters given("strftime_now", arguments, {"format"});
  return format_time(given.text(0).bytes(), rendering.now());
}

}  // namespace

std::optional<Value> find_function(const std::string& name) {
  static const std::map<std::string_view, Code> functions = {
      {"cycler", make_cycler},       {"dict", make_dict},        {"joiner", make_joiner},
      {"namespace", make_namespace}, {"raise_exception", raise}, {"range", range},
      {"strftime_now", format_now},
  };
  const auto found = functions.find(name);
  if (found == functions.end()) return std::nullopt;
  return ObjectPtr(std::make_shared<Function>(found->second));
}

}  // namespace outrider::jinja
