#include "runtime/jinja/value_methods.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "runtime/jinja/operators.h"
#include "runtime/jinja/parameters.h"
#include "runtime/jinja/rendering.h"

namespace outrider::jinja {
namespace {

constexpr std::array<std::string_view, 5> kDictMethods = {"copy", "get", "items", "keys", "values"};
constexpr std::array<std::string_view, 5> kDictChanges = {"clear", "pop", "popitem", "setdefault",
                                                          "update"};
constexpr std::array<std::string_view, 3> kListMethods = {"copy", "count", "index"};
constexpr std::array<std::string_view, 8> kListChanges = {"append", "clear",  "extend",  "insert",
                                                          "pop",    "remove", "reverse", "sort"};

template <std::size_t N>
bool is_among(const std::string& name, const std::array<std::string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

[[noreturn]] void fail_change(const std::string& name, const char* type) {
  throw Fault(fmt::format("{}() would change {}, which templates must not", name, type));
}

Value call_dict_method(Rendering& rendering, const Value& value, const std::string& name,
                       const Arguments& arguments) {
  const Dict& dict = *value.dict();
  if (is_among(name, kDictChanges)) fail_change(name, "a dictionary");
  if (name == "get") {
    const Parameters given("get", arguments, {"key", "default"});
    const Value* found = dict.find(given.value(0));
    return found != nullptr ? *found : given.has(1) ? given.value(1) : Value(None{});
  }
  const Parameters none(name, arguments, {});
  if (name == "copy") return value;
  rendering.budget.step(dict.items().size());
  std::vector<Value> all;
  for (const Dict::Item& item : dict.items()) {
    all.push_back(name == "keys"     ? item.first
                  : name == "values" ? item.second
                                     : Value::tuple({item.first, item.second}));
  }
  return Value::list(std::move(all));
}

Value call_list_method(Rendering& rendering, const Value& value, const std::string& name,
                       const Arguments& arguments) {
  if (is_among(name, kListChanges)) fail_change(name, value.type());
  if (name == "copy") return value;
  const std::vector<Value>& items = value.list()->items;
  rendering.budget.step(value.extent().values);
  const Parameters given(name, arguments, {"value"});
  const auto is_it = [&](const Value& item) { return equal(item, given.value(0)); };
  if (name == "count")
    return Value::size(static_cast<std::size_t>(std::count_if(items.begin(), items.end(), is_it)));
  const auto found = std::find_if(items.begin(), items.end(), is_it);
  if (found == items.end()) throw Fault("index(): the value is not in the list");
  return Value::size(static_cast<std::size_t>(found - items.begin()));
}

class Method : public Object {
 public:
  Method(Value value, std::string name) : value_(std::move(value)), name_(std::move(name)) {}
  const char* type() const override { return "a method"; }
  Value call(Rendering& rendering, const Arguments& arguments) override {
    return call_method(rendering, value_, name_, arguments);
  }

 private:
  Value value_;
  std::string name_;
};

}  // namespace

bool has_method(const Value& value, const std::string& name) {
  if (value.text() != nullptr) return has_string_method(name);
  if (value.dict() != nullptr) return is_among(name, kDictMethods) || is_among(name, kDictChanges);
  if (const List* list = value.list()) {
    if (list->kind == ListKind::kGenerator) return false;
    if (list->kind == ListKind::kTuple) return name == "count" || name == "index";
    return is_among(name, kListMethods) || is_among(name, kListChanges);
  }
  return false;
}

Value call_method(Rendering& rendering, const Value& value, const std::string& name,
                  const Arguments& arguments) {
  if (const Text* text = value.text()) return call_string_method(rendering, *text, name, arguments);
  if (value.dict() != nullptr) return call_dict_method(rendering, value, name, arguments);
  return call_list_method(rendering, value, name, arguments);
}

Value method_value(const Value& value, const std::string& name) {
  return ObjectPtr(std::make_shared<Method>(value, name));
}

}  // namespace outrider::jinja
