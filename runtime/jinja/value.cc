#include "runtime/jinja/value.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "runtime/jinja/fault.h"

namespace outrider::jinja {
namespace {

constexpr int kMostNested = 100;

/// Adds what is put into a list or dictionary.
void add_to(Extent& whole, const Extent& inside) {
  if (inside.depth >= kMostNested) {
    throw Fault(fmt::format("lists and dictionaries are nested more than {} deep", kMostNested));
  }
  whole.depth = std::max(whole.depth, inside.depth + 1);
  const std::size_t room = std::numeric_limits<std::size_t>::max() - whole.values;
  whole.values += std::min(room, inside.values);
}

/// A text that is the same for keys that are equal in Python, where 1, 1.0 and True are.
std::string identity_of(const Value& key) {
  if (const Text* text = key.text()) return "s" + text->bytes();
  if (const auto whole = key.whole()) return fmt::format("i{}", *whole);
  if (const double* real = key.real()) {
    constexpr double kMost = 9e18;
    if (*real == std::floor(*real) && std::abs(*real) < kMost)
      return fmt::format("i{}", static_cast<std::int64_t>(*real));
    return fmt::format("r{}", *real);
  }
  if (key.is_none()) return "n";
  constexpr std::size_t kLargestKey = 10'000;  // values in a tuple
  if (const List* list = key.list();
      list != nullptr && list->kind == ListKind::kTuple && list->extent.values <= kLargestKey) {
    std::string all = "t";
    for (const Value& item : list->items) {
      const std::string one = identity_of(item);
      all += fmt::format("{}:{}", one.size(), one);
    }
    return all;
  }
  throw Fault(fmt::format("{} cannot be the key of a dictionary", key.type()));
}

template <typename T>
int order(const T& left, const T& right) {
  return left < right ? -1 : right < left ? 1 : 0;
}

bool equal_dicts(const Dict& left, const Dict& right) {
  return left.items().size() == right.items().size() &&
         std::all_of(left.items().begin(), left.items().end(), [&](const Dict::Item& item) {
           const Value* other = right.find(item.first);
           return other != nullptr && equal(item.second, *other);
         });
}

}  // namespace

std::vector<Value> List::rest(bool one) const {
  const std::size_t begin = taken;
  taken = one ? std::min(taken + 1, items.size()) : items.size();
  const auto at = [&](std::size_t place) {
    return items.begin() + static_cast<std::ptrdiff_t>(place);
  };
  return {at(begin), at(taken)};
}

Value::Value(Dict dict) : value_(std::make_shared<const Dict>(std::move(dict))) {}

Value Value::undefined(std::string why) {
  Value value;
  value.value_ = Undefined{std::make_shared<const std::string>(std::move(why))};
  return value;
}

Value Value::list(std::vector<Value> items, ListKind kind) {
  Extent extent{.depth = 1};
  for (const Value& item : items) add_to(extent, item.extent());
  Value value;
  value.value_ = std::make_shared<const List>(List{std::move(items), kind, extent});
  return value;
}

bool Value::truth() const {
  if (const bool* flag = boolean()) return *flag;
  if (const std::int64_t* whole = integer()) return *whole != 0;
  if (const double* number = real()) return *number != 0;
  if (const Text* string = text()) return !string->empty();
  if (const List* elements = list()) {
    return elements->kind == ListKind::kGenerator || !elements->items.empty();
  }
  if (const Dict* mapping = dict()) return !mapping->items().empty();
  return object() != nullptr;
}

std::optional<std::int64_t> Value::whole() const {
  if (const bool* flag = boolean()) return std::int64_t{*flag};
  if (const std::int64_t* value = integer()) return *value;
  return std::nullopt;
}

std::optional<double> Value::number() const {
  if (const double* value = real()) return *value;
  if (const auto value = whole()) return static_cast<double>(*value);
  return std::nullopt;
}

const char* Value::type() const {
  static constexpr std::array<const char*, 8> kNames = {
      "an undefined value", "none",   "a boolean",   "an integer", "a float",
      "a string",           "a list", "a dictionary"};
  if (const Object* thing = object()) return thing->type();
  if (list() != nullptr && list()->kind == ListKind::kTuple) return "a tuple";
  if (list() != nullptr && list()->kind == ListKind::kGenerator) return "a generator";
  return kNames[value_.index()];
}

Extent Value::extent() const {
  if (const List* elements = list()) return elements->extent;
  if (const Dict* mapping = dict()) return mapping->extent();
  return {};
}

void Dict::set(Value key, Value value) {
  add_to(extent_, key.extent());
  add_to(extent_, value.extent());
  const auto [place, is_new] = places_.emplace(identity_of(key), items_.size());
  if (is_new) {
    items_.emplace_back(std::move(key), std::move(value));
  } else {
    items_[place->second].second = std::move(value);
  }
}

const Value* Dict::find(const Value& key) const {
  const auto place = places_.find(identity_of(key));
  return place == places_.end() ? nullptr : &items_[place->second].second;
}

const Value* Dict::named(std::string_view key) const {
  const auto place = places_.find("s" + std::string(key));
  return place == places_.end() ? nullptr : &items_[place->second].second;
}

Value Object::call(Rendering& /*rendering*/, const Arguments& /*arguments*/) {
  throw Fault(fmt::format("{} cannot be called", type()));
}

bool equal(const Value& left, const Value& right) {
  if (const auto a = left.whole(), b = right.whole(); a && b) return *a == *b;
  if (const auto a = left.number(), b = right.number(); a && b) return *a == *b;
  if (left.text() != nullptr && right.text() != nullptr)
    return left.text()->bytes() == right.text()->bytes();
  if (const List* a = left.list(), *b = right.list(); a != nullptr && b != nullptr) {
    return a == b ||
           (a->kind == b->kind && a->kind != ListKind::kGenerator &&
            std::equal(a->items.begin(), a->items.end(), b->items.begin(), b->items.end(), equal));
  }
  if (left.dict() != nullptr && right.dict() != nullptr)
    return left.dict() == right.dict() || equal_dicts(*left.dict(), *right.dict());
  if (left.object() != nullptr) return left.object() == right.object();
  return (left.is_none() && right.is_none()) || (left.is_undefined() && right.is_undefined());
}

int compare(const Value& left, const Value& right) {
  if (const auto a = left.whole(), b = right.whole(); a && b) return order(*a, *b);
  if (const auto a = left.number(), b = right.number(); a && b) return order(*a, *b);
  if (left.text() != nullptr && right.text() != nullptr)
    return left.text()->bytes().compare(right.text()->bytes());  // UTF-8 keeps Python's order
  if (const List* a = left.list(), *b = right.list();
      a != nullptr && b != nullptr && a->kind == b->kind && a->kind != ListKind::kGenerator) {
    for (std::size_t i = 0; i < std::min(a->items.size(), b->items.size()); ++i) {
      if (!equal(a->items[i], b->items[i])) return compare(a->items[i], b->items[i]);
    }
    return order(a->items.size(), b->items.size());
  }
  for (const Value* side : {&left, &right}) {
    if (side->is_undefined() && std::get<Undefined>(side->variant()).why)
      throw Fault(*std::get<Undefined>(side->variant()).why);
  }
  throw Fault(fmt::format("{} and {} have no order", left.type(), right.type()));
}

}  // namespace outrider::jinja
