#include "runtime/jinja/operators.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/jinja/parameters.h"
#include "runtime/jinja/percent_format.h"
#include "runtime/jinja/python_characters.h"
#include "runtime/jinja/strings.h"
#include "runtime/jinja/value_methods.h"

namespace outrider::jinja {
namespace {

using Whole = std::int64_t;

const char* symbol(Operator op) {
  switch (op) {
    case Operator::kAdd:
      return "+";
    case Operator::kSubtract:
      return "-";
    case Operator::kMultiply:
      return "*";
    case Operator::kDivide:
      return "/";
    case Operator::kFloorDivide:
      return "//";
    case Operator::kRemainder:
      return "%";
    case Operator::kPower:
      return "**";
    default:
      return "?";
  }
}

[[noreturn]] void fail_overflow() { throw Fault("an integer beyond 64 bits"); }

template <typename Operation>
Whole checked(Operation operation) {
  Whole result = 0;
  if (operation(&result)) fail_overflow();
  return result;
}

Whole times(Whole a, Whole b) {
  return checked([&](Whole* r) { return __builtin_mul_overflow(a, b, r); });
}

Value whole_power(Whole base, Whole exponent) {
  if (exponent < 0) {
    if (base == 0) throw Fault("zero to a negative power");
    return std::pow(static_cast<double>(base), static_cast<double>(exponent));
  }
  if (base == 0 || base == 1) return exponent == 0 ? Whole{1} : base;
  if (base == -1) return exponent % 2 == 0 ? Whole{1} : Whole{-1};
  Whole result = 1;
  for (; exponent > 0; --exponent) result = times(result, base);  // over 63 steps overflow
  return result;
}

Value of_wholes(Operator op, Whole a, Whole b) {
  const bool divides =
      op == Operator::kDivide || op == Operator::kFloorDivide || op == Operator::kRemainder;
  if (divides && b == 0) throw Fault("a division by zero");
  switch (op) {
    case Operator::kAdd:
      return checked([&](Whole* r) { return __builtin_add_overflow(a, b, r); });
    case Operator::kSubtract:
      return checked([&](Whole* r) { return __builtin_sub_overflow(a, b, r); });
    case Operator::kMultiply:
      return times(a, b);
    case Operator::kDivide:
      return static_cast<double>(a) / static_cast<double>(b);
    case Operator::kPower:
      return whole_power(a, b);
    default:
      break;
  }
  if (b == -1) return op == Operator::kRemainder ? Whole{0} : of_wholes(Operator::kSubtract, 0, a);
  const bool inexact = a % b != 0 && (a < 0) != (b < 0);
  return op == Operator::kFloorDivide ? a / b - Whole{inexact} : a % b + (inexact ? b : 0);
}

Value of_reals(Operator op, double a, double b) {
  const bool divides =
      op == Operator::kDivide || op == Operator::kFloorDivide || op == Operator::kRemainder;
  if (divides && b == 0) throw Fault("a division by zero");
  switch (op) {
    case Operator::kAdd:
      return a + b;
    case Operator::kSubtract:
      return a - b;
    case Operator::kMultiply:
      return a * b;
    case Operator::kDivide:
      return a / b;
    case Operator::kPower:
      return std::pow(a, b);
    default:
      break;
  }
  double remainder = std::fmod(a, b);
  if (remainder != 0 && (remainder < 0) != (b < 0)) remainder += b;
  return op == Operator::kRemainder ? remainder : std::floor((a - remainder) / b + 0.5);
}

std::optional<Value> joined(const Value& left, const Value& right, Budget& budget) {
  if (left.text() != nullptr && right.text() != nullptr) {
    budget.make(left.text()->size() + right.text()->size());
    if (left.text()->is_markup() == right.text()->is_markup()) {
      Text both = *left.text();
      both.append(*right.text());
      return both;
    }
    Text both = escaped_for_html(*left.text(), budget);
    both.append(escaped_for_html(*right.text(), budget));
    return both;
  }
  const List* a = left.list();
  const List* b = right.list();
  if (a == nullptr || b == nullptr || a->kind != b->kind || a->kind == ListKind::kGenerator)
    return std::nullopt;
  budget.step(a->items.size() + b->items.size());
  std::vector<Value> items = a->items;
  items.insert(items.end(), b->items.begin(), b->items.end());
  return Value::list(std::move(items), a->kind);
}

std::optional<Value> repeated(const Value& value, const Value& count, Budget& budget) {
  const auto whole = count.whole();
  if (!whole) return std::nullopt;
  const auto times_over = static_cast<std::size_t>(std::max<Whole>(*whole, 0));
  const auto total = [&](std::size_t size) {
    return size > 0 && times_over > std::numeric_limits<std::size_t>::max() / size
               ? std::numeric_limits<std::size_t>::max()
               : size * times_over;
  };
  if (const Text* text = value.text()) {
    budget.make(total(text->size()));
    Text made;
    for (std::size_t i = 0; i < times_over && !text->empty(); ++i) made.append(*text);
    return made;
  }
  if (const List* list = value.list(); list != nullptr && list->kind != ListKind::kGenerator) {
    budget.step(total(list->items.size()));
    std::vector<Value> items;
    for (std::size_t i = 0; i < times_over && !list->items.empty(); ++i)
      items.insert(items.end(), list->items.begin(), list->items.end());
    return Value::list(std::move(items), list->kind);
  }
  return std::nullopt;
}

bool contains(const Value& all, const Value& one, Budget& budget) {
  if (const Text* text = all.text()) {
    budget.step(text->size() / 64);
    return text->bytes().find(need_text(one, "what is looked for in a string").bytes()) !=
           std::string::npos;
  }
  if (const Dict* dict = all.dict()) return dict->find(one) != nullptr;
  const std::vector<Value> items = elements_of(all, budget);
  budget.step(all.extent().values);
  return std::any_of(items.begin(), items.end(),
                     [&](const Value& item) { return equal(item, one); });
}

/// The positions of a slice of so many elements.
std::vector<std::size_t> positions(std::size_t size, const Value& begin, const Value& end,
                                   const Value& step, Budget& budget) {
  const auto bound = [](const Value& value, const char* what) -> std::optional<Whole> {
    if (value.is_none()) return std::nullopt;
    if (const auto whole = value.whole()) return whole;
    need_defined(value);
    throw Fault(fmt::format("the {} of a slice is {}, expected an integer", what, value.type()));
  };
  const Whole stride = bound(step, "step").value_or(1);
  if (stride == 0) throw Fault("the step of a slice is zero");
  const auto count = static_cast<Whole>(size);
  const Whole low = stride > 0 ? 0 : -1;
  const Whole high = stride > 0 ? count : count - 1;
  const auto place = [&](std::optional<Whole> given, Whole otherwise) {
    if (!given) return otherwise;
    const Whole from_front = *given < 0 ? std::max(*given, -count - 1) + count : *given;
    return std::clamp(from_front, low, high);
  };
  const Whole from = place(bound(begin, "begin"), stride > 0 ? low : high);
  const Whole to = place(bound(end, "end"), stride > 0 ? high : low);
  std::vector<std::size_t> found;
  for (Whole at = from; stride > 0 ? at < to : at > to;) {
    budget.step();
    found.push_back(static_cast<std::size_t>(at));
    if (__builtin_add_overflow(at, stride, &at)) break;
  }
  return found;
}

Text characters_at(const Text& text, const std::vector<std::size_t>& places, bool forward) {
  const std::vector<std::size_t> offsets = character_offsets(text.bytes());
  if (forward && !places.empty())
    return text.part(offsets[places.front()], offsets[places.back() + 1]);
  Text cut;
  for (const std::size_t place : places) cut.append_part(text, offsets[place], offsets[place + 1]);
  return cut;
}

std::optional<Value> element_at(const Value& object, Whole index) {
  const auto place = [&](std::size_t size) -> std::optional<std::size_t> {
    const auto count = static_cast<Whole>(size);
    if (index >= count || index < -count) return std::nullopt;
    return static_cast<std::size_t>(index < 0 ? index + count : index);
  };
  if (const List* list = object.list()) {
    if (list->kind == ListKind::kGenerator) return std::nullopt;
    if (const auto at = place(list->items.size())) return list->items[*at];
  } else if (const Text* text = object.text()) {
    const std::vector<std::size_t> offsets = character_offsets(text->bytes());
    if (const auto at = place(offsets.size() - 1))
      return text->part(offsets[*at], offsets[*at + 1]);
  }
  return std::nullopt;
}

Value missing(const Value& object, const std::string& what) {
  return Value::undefined(fmt::format("{} has no {}", object.type(), what));
}

}  // namespace

Value calculate(Operator op, const Value& left, const Value& right, Budget& budget) {
  if (op == Operator::kAdd) {
    if (auto both = joined(left, right, budget)) return std::move(*both);
  }
  if (op == Operator::kMultiply) {
    if (auto many = repeated(left, right, budget)) return std::move(*many);
    if (auto many = repeated(right, left, budget)) return std::move(*many);
  }
  if (op == Operator::kRemainder && left.text() != nullptr)
    return percent_format(*left.text(), right, budget);
  if (const auto a = left.whole(), b = right.whole(); a && b) return of_wholes(op, *a, *b);
  if (const auto a = left.number(), b = right.number(); a && b) return of_reals(op, *a, *b);
  need_defined(left);
  need_defined(right);
  throw Fault(fmt::format("{} {} {}: these types do not go together", left.type(), symbol(op),
                          right.type()));
}

bool holds(Operator op, const Value& left, const Value& right, Budget& budget) {
  if (op == Operator::kIn) return contains(right, left, budget);
  if (op == Operator::kNotIn) return !contains(right, left, budget);
  budget.step(std::min(left.extent().values, right.extent().values));
  if (op == Operator::kEqual) return equal(left, right);
  if (op == Operator::kNotEqual) return !equal(left, right);
  const int order = compare(left, right);
  return op == Operator::kLess        ? order < 0
         : op == Operator::kLessEqual ? order <= 0
         : op == Operator::kGreater   ? order > 0
                                      : order >= 0;
}

Value with_sign(const Value& value, bool minus) {
  if (const auto whole = value.whole())
    return minus ? of_wholes(Operator::kSubtract, 0, *whole) : Value(*whole);
  if (const double* real = value.real()) return minus ? -*real : *real;
  need_defined(value);
  throw Fault(fmt::format("{} has no sign", value.type()));
}

Value attribute_of(const Value& object, const std::string& name) {
  need_defined(object);
  if (const Object* thing = object.object()) {
    if (auto found = thing->attribute(name)) return std::move(*found);
  } else if (has_method(object, name)) {
    return method_value(object, name);
  } else if (const Dict* dict = object.dict()) {
    if (const Value* found = dict->named(name)) return *found;
  }
  return missing(object, fmt::format("attribute '{}'", name));
}

Value element_of(const Value& object, const Value& key) {
  need_defined(object);
  if (const Dict* dict = object.dict()) {
    if (key.is_undefined()) return missing(object, "undefined key");
    const bool is_key = key.list() == nullptr ? key.dict() == nullptr && key.object() == nullptr
                                              : key.list()->kind == ListKind::kTuple;
    if (const Value* found = is_key ? dict->find(key) : nullptr) return *found;
  } else if (const auto index = key.whole()) {
    if (auto found = element_at(object, *index)) return std::move(*found);
    return missing(object, fmt::format("element {}", *index));
  }
  if (const Text* name = key.text()) {
    if (object.dict() == nullptr || has_method(object, name->bytes()))
      return attribute_of(object, name->bytes());
    return missing(object, fmt::format("key '{}'", name->bytes()));
  }
  return missing(object, fmt::format("element for {}", key.type()));
}

Value slice_of(const Value& object, const Value& begin, const Value& end, const Value& step,
               Budget& budget) {
  if (const Text* text = object.text()) {
    const auto places = positions(character_count(text->bytes()), begin, end, step, budget);
    Text cut = characters_at(*text, places, step.is_none() || equal(step, Value(Whole{1})));
    budget.make(cut.size());
    return cut;
  }
  if (const List* list = object.list(); list != nullptr && list->kind != ListKind::kGenerator) {
    std::vector<Value> items;
    for (const std::size_t place : positions(list->items.size(), begin, end, step, budget))
      items.push_back(list->items[place]);
    return Value::list(std::move(items), list->kind);
  }
  need_defined(object);
  // As Jinja does where Python's own operation fails.
  return missing(object, "slices");
}

std::vector<Value> elements_of(const Value& value, Budget& budget) {
  std::vector<Value> items;
  if (const List* list = value.list()) {
    if (list->kind == ListKind::kGenerator) return list->rest();
    items = list->items;
  } else if (const Dict* dict = value.dict()) {
    for (const Dict::Item& item : dict->items()) items.push_back(item.first);
  } else if (const Text* text = value.text()) {
    budget.make(text->size());
    const std::vector<std::size_t> offsets = character_offsets(text->bytes());
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
      items.push_back(text->part(offsets[i], offsets[i + 1]));
  } else if (!value.is_undefined()) {
    throw Fault(fmt::format("{} has no elements to go through", value.type()));
  }
  budget.step(items.size());
  return items;
}

void fail_undefined(const Value& value) {
  const auto* undefined = std::get_if<Undefined>(&value.variant());
  throw Fault(undefined != nullptr && undefined->why ? *undefined->why : "a value is undefined");
}

void need_defined(const Value& value) {
  if (value.is_undefined()) fail_undefined(value);
}

}  // namespace outrider::jinja
