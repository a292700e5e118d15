#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/jinja/text.h"

namespace outrider::jinja {

class Value;
class Dict;
class Object;

/// How much there is in a value.
struct Extent {
  int depth = 0;           // of lists and dictionaries inside each other
  std::size_t values = 1;  // itself and all inside, as often as they are there
};

/// A generator is what filters such as `map` give: it is true, has no length, and can be gone through once.
enum class ListKind : std::uint8_t { kList, kTuple, kGenerator };

struct List {
  std::vector<Value> items;
  ListKind kind;
  Extent extent;
  mutable std::size_t taken = 0;  // of a generator's items

  /// Takes what is left of a generator, or its next item only.
  std::vector<Value> rest(bool one = false) const;
};

/// A missing variable, attribute or element. It is empty, false and without elements; what asks more of
/// it fails.
struct Undefined {
  std::shared_ptr<const std::string> why;  // "'x' is undefined"
};

struct None {};

using TextPtr = std::shared_ptr<const Text>;
using ListPtr = std::shared_ptr<const List>;
using DictPtr = std::shared_ptr<const Dict>;
using ObjectPtr = std::shared_ptr<Object>;

/// A value of the template language, which are Python's. Copies share strings, lists and dictionaries,
/// which never change.
class Value {
 public:
  using Variant = std::variant<Undefined, None, bool, std::int64_t, double, TextPtr, ListPtr,
                               DictPtr, ObjectPtr>;

  Value() = default;  // undefined
  Value(None none) : value_(none) {}
  Value(bool value) : value_(value) {}
  Value(std::int64_t value) : value_(value) {}
  Value(double value) : value_(value) {}
  Value(Text text) : value_(std::make_shared<const Text>(std::move(text))) {}
  Value(std::string text) : Value(Text(std::move(text))) {}
  Value(const char* text) : Value(Text(text)) {}
  Value(Dict dict);
  Value(ObjectPtr object) : value_(std::move(object)) {}

  static Value undefined(std::string why);
  /// @throws Fault if lists and dictionaries are nested too deep
  static Value list(std::vector<Value> items, ListKind kind = ListKind::kList);
  static Value tuple(std::vector<Value> items) { return list(std::move(items), ListKind::kTuple); }
  static Value generator(std::vector<Value> items) {
    return list(std::move(items), ListKind::kGenerator);
  }
  static Value size(std::size_t value) { return static_cast<std::int64_t>(value); }

  const Variant& variant() const { return value_; }

  bool is_undefined() const { return std::holds_alternative<Undefined>(value_); }
  bool is_none() const { return std::holds_alternative<None>(value_); }
  const bool* boolean() const { return std::get_if<bool>(&value_); }
  /// An integer that is not a boolean.
  const std::int64_t* integer() const { return std::get_if<std::int64_t>(&value_); }
  const double* real() const { return std::get_if<double>(&value_); }
  const Text* text() const { return pointee<TextPtr>(); }
  const List* list() const { return pointee<ListPtr>(); }
  const Dict* dict() const { return pointee<DictPtr>(); }
  Object* object() const { return pointee<ObjectPtr>(); }

  /// Python's truth: false, zero and what is empty are not.
  bool truth() const;
  /// An integer or a boolean, as Python has it.
  std::optional<std::int64_t> whole() const;
  /// Any number, booleans included.
  std::optional<double> number() const;
  /// The type's name in messages: "a string".
  const char* type() const;
  Extent extent() const;

 private:
  template <typename Pointer>
  auto pointee() const -> decltype(std::declval<Pointer>().get()) {
    const auto* pointer = std::get_if<Pointer>(&value_);
    return pointer == nullptr ? nullptr : pointer->get();
  }

  Variant value_;
};

/// A dictionary in the order of insertion.
class Dict {
 public:
  using Item = std::pair<Value, Value>;

  /// Adds an item, or replaces the value of a key.
  /// @throws Fault for a key that Python cannot hash, or nesting that is too deep
  void set(Value key, Value value);
  void set(const char* key, Value value) { set(Value(key), std::move(value)); }
  /// The value of a key, or nullptr.
  const Value* find(const Value& key) const;
  const Value* named(std::string_view key) const;

  const std::vector<Item>& items() const { return items_; }
  const Extent& extent() const { return extent_; }

 private:
  std::vector<Item> items_;
  std::unordered_map<std::string, std::size_t> places_;  // in items_, by the key's kind and value
  Extent extent_ = {.depth = 1};
};

/// Arguments of a call.
struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;
};

class Rendering;

/// What has attributes or can be called: macros, functions, namespaces, `loop`.
class Object {
 public:
  Object() = default;
  virtual ~Object() = default;
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  /// "a macro"
  virtual const char* type() const = 0;
  virtual bool is_callable() const { return true; }
  /// @throws Fault if it cannot be called, or not with these arguments
  virtual Value call(Rendering& rendering, const Arguments& arguments);
  /// Nothing if there is none of this name.
  virtual std::optional<Value> attribute(const std::string& /*name*/) const { return std::nullopt; }
  /// Lets go of all values, which may hold the object itself.
  virtual void clear() {}
};

/// Python's `==`: numbers by their value, lists and dictionaries by their elements.
bool equal(const Value& left, const Value& right);

/// Python's order.
/// @return negative, 0 or positive
/// @throws Fault for types that have no order
int compare(const Value& left, const Value& right);

}  // namespace outrider::jinja
