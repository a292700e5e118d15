#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "runtime/base/numbers.h"
#include "runtime/jinja/filter.h"
#include "runtime/jinja/operators.h"
#include "runtime/jinja/python_characters.h"
#include "runtime/jinja/strings.h"

namespace outrider::jinja {
namespace {

/// Of what has elements; none of other false values, as `map` and the like have it.
std::vector<Value> elements_or_none(const FilterCall& call) {
  return call.subject.truth() ? elements_of(call.subject, call.budget()) : std::vector<Value>();
}

std::vector<Value> subject_elements(const FilterCall& call) {
  return elements_of(call.subject, call.budget());
}

/// An attribute of an element: a name, a number, or several with dots between.
/// @param otherwise  instead of one that is missing; nullptr: it is undefined
Value attribute_by_path(Value value, const Value& path, const Value* otherwise) {
  std::vector<Value> steps;
  if (const Text* text = path.text()) {
    for (const Text& step : split_at(*text, ".", -1)) {
      const auto index = parse_unsigned(step.bytes());
      steps.push_back(index ? Value(static_cast<std::int64_t>(*index)) : Value(step));
    }
  } else {
    steps.push_back(path);
  }
  for (const Value& step : steps) {
    value = element_of(value, step);
    if (otherwise != nullptr && !otherwise->is_none() && value.is_undefined()) value = *otherwise;
  }
  return value;
}

/// What an element is compared by: itself or an attribute, in small letters unless case counts.
class SortKey {
 public:
  SortKey(const Parameters& given, std::size_t case_sensitive, std::size_t attribute,
          Budget& budget)
      : path_(given.has_some(attribute) ? given.value(attribute) : Value(None{})),
        exact_(given.flag(case_sensitive, false)),
        budget_(budget) {}

  Value operator()(const Value& element) const {
    if (path_.is_none()) return in_case(element);
    const Text* text = path_.text();
    if (text == nullptr || text->bytes().find(',') == std::string::npos)
      return in_case(attribute_by_path(element, path_, nullptr));
    std::vector<Value> keys;
    for (const Text& path : split_at(*text, ",", -1))
      keys.push_back(in_case(attribute_by_path(element, path, nullptr)));
    return Value::list(std::move(keys));
  }

 private:
  Value in_case(Value key) const {
    if (exact_ || key.text() == nullptr) return key;
    return lower(*key.text(), budget_);
  }

  Value path_;
  bool exact_;
  Budget& budget_;
};

/// The elements in the order of their keys, equal ones as they were.
std::vector<Value> in_order(const std::vector<Value>& elements, const std::vector<Value>& keys,
                            bool reverse, Budget& budget) {
  std::vector<std::size_t> order(elements.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    budget.step(1 + std::min(keys[a].extent().values, keys[b].extent().values));
    return reverse ? compare(keys[b], keys[a]) < 0 : compare(keys[a], keys[b]) < 0;
  });
  std::vector<Value> sorted;
  for (const std::size_t place : order) sorted.push_back(elements[place]);
  return sorted;
}

std::vector<Value> keys_of(const std::vector<Value>& elements, const SortKey& key) {
  std::vector<Value> keys;
  for (const Value& element : elements) keys.push_back(key(element));
  return keys;
}

Value length_filter(const FilterCall& call) {
  call.parameters({});
  if (const Text* text = call.subject.text()) return Value::size(character_count(text->bytes()));
  if (const List* list = call.subject.list(); list != nullptr && list->kind != ListKind::kGenerator)
    return Value::size(list->items.size());
  if (const Dict* dict = call.subject.dict()) return Value::size(dict->items().size());
  if (call.subject.is_undefined()) return std::int64_t{0};
  throw Fault(fmt::format("{} has no length", call.subject.type()));
}

Value list_filter(const FilterCall& call) {
  call.parameters({});
  return Value::list(subject_elements(call));
}

Value end_filter(const FilterCall& call, bool is_first) {
  call.parameters({});
  const List* list = call.subject.list();
  const bool takes_one = is_first && list != nullptr && list->kind == ListKind::kGenerator;
  if (!is_first && list != nullptr && list->kind == ListKind::kGenerator)
    throw Fault("a generator has no last element, put |list before");
  const std::vector<Value> elements = takes_one ? list->rest(true) : subject_elements(call);
  if (elements.empty()) return Value::undefined(fmt::format("there is no {} element", call.name));
  return is_first ? elements.front() : elements.back();
}

Value join_filter(const FilterCall& call) {
  const Parameters given = call.parameters({"d", "attribute"});
  const Text between = given.has(0) ? call.rendering.write(given.value(0)) : Text();
  Text made;
  bool is_first = true;
  for (const Value& element : subject_elements(call)) {
    const Text text = call.rendering.write(
        given.has_some(1) ? attribute_by_path(element, given.value(1), nullptr) : element);
    call.budget().make(between.size() + text.size());
    if (!is_first) made.append(between);
    made.append(text);
    is_first = false;
  }
  return made;
}

/// The arguments after the first so many.
Arguments rest_of(const Arguments& arguments, std::size_t count) {
  Arguments rest = arguments;
  rest.positional.erase(rest.positional.begin(),
                        rest.positional.begin() + static_cast<std::ptrdiff_t>(count));
  return rest;
}

const Value& first_argument(const FilterCall& call) {
  if (call.arguments.positional.empty())
    throw Fault(fmt::format("the filter {} needs an argument", call.name));
  return call.arguments.positional.front();
}

Value map_filter(const FilterCall& call) {
  std::vector<Value> made;
  if (call.arguments.positional.empty()) {
    const Parameters given = call.parameters({"attribute", "default"});
    for (const Value& element : elements_or_none(call))
      made.push_back(
          attribute_by_path(element, given.value(0), given.has(1) ? &given.value(1) : nullptr));
  } else {
    const std::string& name = need_text(first_argument(call), "the filter of map").bytes();
    const Arguments rest = rest_of(call.arguments, 1);
    for (const Value& element : elements_or_none(call))
      made.push_back(call.rendering.filter(name, element, rest));
  }
  return Value::generator(std::move(made));
}

/// The elements that pass a test, or that do not; the test is of an attribute or of the element itself.
Value select(const FilterCall& call, bool passing, bool by_attribute) {
  const std::size_t test_at = by_attribute ? 1 : 0;
  if (by_attribute) first_argument(call);
  const bool has_test = call.arguments.positional.size() > test_at;
  const Arguments rest = has_test ? rest_of(call.arguments, test_at + 1) : Arguments{};
  std::vector<Value> kept;
  for (const Value& element : elements_or_none(call)) {
    const Value tested =
        by_attribute ? attribute_by_path(element, first_argument(call), nullptr) : element;
    const bool passes =
        has_test ? call.rendering.test(
                       need_text(call.arguments.positional[test_at], "a test's name").bytes(),
                       tested, rest)
                 : tested.truth();
    if (passes == passing) kept.push_back(element);
  }
  return Value::generator(std::move(kept));
}

Value items_filter(const FilterCall& call) {
  call.parameters({});
  std::vector<Value> made;
  if (const Dict* dict = call.subject.dict()) {
    call.budget().step(dict->items().size());
    for (const Dict::Item& item : dict->items())
      made.push_back(Value::tuple({item.first, item.second}));
  } else if (!call.subject.is_undefined()) {
    throw Fault(
        fmt::format("the filter items: found {}, expected a dictionary", call.subject.type()));
  }
  return Value::generator(std::move(made));
}

Value dictsort_filter(const FilterCall& call) {
  const Parameters given = call.parameters({"case_sensitive", "by", "reverse"});
  const std::string by = given.has(1) ? given.text(1).bytes() : "key";
  if (by != "key" && by != "value") throw Fault("the filter dictsort: 'by' is 'key' or 'value'");
  const Value items = items_filter({call.rendering, call.name, call.subject, {}});
  need_defined(call.subject);
  std::vector<Value> keys;
  for (const Value& item : items.list()->items) {
    const Value& key = item.list()->items[by == "key" ? 0 : 1];
    const bool folded = !given.flag(0, false) && key.text() != nullptr;
    keys.push_back(folded ? Value(lower(*key.text(), call.budget())) : key);
  }
  return Value::list(in_order(items.list()->items, keys, given.flag(2, false), call.budget()));
}

Value sort_filter(const FilterCall& call) {
  const Parameters given = call.parameters({"reverse", "case_sensitive", "attribute"});
  const std::vector<Value> elements = subject_elements(call);
  const SortKey key(given, 1, 2, call.budget());
  return Value::list(
      in_order(elements, keys_of(elements, key), given.flag(0, false), call.budget()));
}

Value unique_filter(const FilterCall& call) {
  const Parameters given = call.parameters({"case_sensitive", "attribute"});
  const SortKey key(given, 0, 1, call.budget());
  Dict seen;
  std::vector<Value> kept;
  for (const Value& element : subject_elements(call)) {
    Value by = key(element);
    if (seen.find(by) != nullptr) continue;
    seen.set(std::move(by), true);
    kept.push_back(element);
  }
  return Value::generator(std::move(kept));
}

Value extreme(const FilterCall& call, bool largest) {
  const Parameters given = call.parameters({"case_sensitive", "attribute"});
  const std::vector<Value> elements = subject_elements(call);
  if (elements.empty())
    return Value::undefined("an empty list has no smallest and no largest element");
  const std::vector<Value> keys = keys_of(elements, SortKey(given, 0, 1, call.budget()));
  std::size_t best = 0;
  for (std::size_t i = 1; i < keys.size(); ++i) {
    call.budget().step(keys[i].extent().values);
    const int order = compare(keys[i], keys[best]);
    if (largest ? order > 0 : order < 0) best = i;
  }
  return elements[best];
}

Value group_filter(const FilterCall& call) {
  const Parameters given = call.parameters({"attribute", "default", "case_sensitive"});
  const Value* otherwise = given.has(1) ? &given.value(1) : nullptr;
  const std::vector<Value> elements = subject_elements(call);
  std::vector<Value> keys;
  std::vector<Value> pairs;
  for (const Value& element : elements) {
    Value key = attribute_by_path(element, given.value(0), otherwise);
    pairs.push_back(Value::tuple({key, element}));
    const bool folded = !given.flag(2, false) && key.text() != nullptr;
    keys.push_back(folded ? Value(lower(*key.text(), call.budget())) : std::move(key));
  }
  pairs = in_order(pairs, keys, false, call.budget());
  keys = in_order(keys, keys, false, call.budget());
  std::vector<Value> groups;
  for (std::size_t i = 0; i < pairs.size();) {
    const Value& name = pairs[i].list()->items[0];
    std::vector<Value> members;
    const std::size_t begin = i;
    for (; i < pairs.size() && equal(keys[i], keys[begin]); ++i)
      members.push_back(pairs[i].list()->items[1]);
    groups.push_back(Value::tuple({name, Value::list(std::move(members))}));
  }
  return Value::list(std::move(groups));
}

Value reverse_filter(const FilterCall& call) {
  call.parameters({});
  if (call.subject.text() != nullptr)
    return slice_of(call.subject, None{}, None{}, std::int64_t{-1}, call.budget());
  std::vector<Value> elements = subject_elements(call);
  std::reverse(elements.begin(), elements.end());
  return Value::generator(std::move(elements));
}

Value sum_filter(const FilterCall& call) {
  const Parameters given = call.parameters({"attribute", "start"});
  Value sum = given.has(1) ? given.value(1) : Value(std::int64_t{0});
  for (const Value& element : subject_elements(call)) {
    sum =
        calculate(Operator::kAdd, sum,
                  given.has_some(0) ? attribute_by_path(element, given.value(0), nullptr) : element,
                  call.budget());
  }
  return sum;
}

Value batch_filter(const FilterCall& call) {
  const Parameters given = call.parameters({"linecount", "fill_with"});
  const std::int64_t size = given.integer(0, 0);
  if (size < 1) throw Fault("the filter batch: expected a size of at least 1");
  std::vector<Value> rows;
  std::vector<Value> row;
  for (const Value& element : subject_elements(call)) {
    row.push_back(element);
    if (static_cast<std::int64_t>(row.size()) < size) continue;
    rows.push_back(Value::list(std::exchange(row, {})));
  }
  if (!row.empty()) {
    if (given.has_some(1)) {
      call.budget().step(static_cast<std::size_t>(size) - row.size());
      row.resize(static_cast<std::size_t>(size), given.value(1));
    }
    rows.push_back(Value::list(std::move(row)));
  }
  return Value::generator(std::move(rows));
}

Value slice_filter(const FilterCall& call) {
  const Parameters given = call.parameters({"slices", "fill_with"});
  const std::int64_t count = given.integer(0, 0);
  if (count < 1) throw Fault("the filter slice: expected at least 1 slice");
  const auto slices = static_cast<std::size_t>(count);
  call.budget().step(slices);
  const std::vector<Value> elements = subject_elements(call);
  const std::size_t with_more = elements.size() % slices;
  std::vector<Value> columns;
  auto begin = elements.begin();
  for (std::size_t i = 0; i < slices; ++i) {
    const auto end =
        begin + static_cast<std::ptrdiff_t>(elements.size() / slices + std::size_t{i < with_more});
    std::vector<Value> column(begin, end);
    if (given.has_some(1) && i >= with_more) column.push_back(given.value(1));
    columns.push_back(Value::list(std::move(column)));
    begin = end;
  }
  return Value::generator(std::move(columns));
}

Value attr_filter(const FilterCall& call) {
  const Parameters given = call.parameters({"name"});
  if (call.subject.dict() != nullptr) {
    need_defined(call.subject);
    return Value::undefined(
        fmt::format("a dictionary has no attribute '{}'", given.text(0).bytes()));
  }
  return attribute_of(call.subject, given.text(0).bytes());
}

}  // namespace

FilterFunction find_list_filter(const std::string& name) {
  static const std::map<std::string_view, FilterFunction> filters = {
      {"attr", attr_filter},
      {"batch", batch_filter},
      {"count", length_filter},
      {"dictsort", dictsort_filter},
      {"first", [](const FilterCall& call) { return end_filter(call, true); }},
      {"groupby", group_filter},
      {"items", items_filter},
      {"join", join_filter},
      {"last", [](const FilterCall& call) { return end_filter(call, false); }},
      {"length", length_filter},
      {"list", list_filter},
      {"map", map_filter},
      {"max", [](const FilterCall& call) { return extreme(call, true); }},
      {"min", [](const FilterCall& call) { return extreme(call, false); }},
      {"reject", [](const FilterCall& call) { return select(call, false, false); }},
      {"rejectattr", [](const FilterCall& call) { return select(call, false, true); }},
      {"reverse", reverse_filter},
      {"select", [](const FilterCall& call) { return select(call, true, false); }},
      {"selectattr", [](const FilterCall& call) { return select(call, true, true); }},
      {"slice", slice_filter},
      {"sort", sort_filter},
      {"sum", sum_filter},
      {"unique", unique_filter},
  };
  const auto found = filters.find(name);
  return found == filters.end() ? nullptr : found->second;
}

FilterFunction find_filter(const std::string& name) {
  if (const FilterFunction found = find_list_filter(name)) return found;
  return find_string_filter(name);
}

}  // namespace outrider::jinja
