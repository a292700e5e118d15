#include <fmt/core.h>

#include <utility>

#include "runtime/jinja/evaluator.h"
#include "runtime/jinja/function.h"
#include "runtime/jinja/operators.h"
#include "runtime/jinja/parameters.h"
#include "runtime/jinja/value_methods.h"

namespace outrider::jinja {

Value Evaluator::evaluate(const Expression& expression, Scope& scope) {
  try {
    const Budget::Level level(budget);
    budget.step();
    return std::visit([&](const auto& node) { return value_of(node, scope); }, expression.node);
  } catch (const Fault&) {
    note_fault(expression.at);
    throw;
  }
}

Value Evaluator::value_of(const Constant& node, Scope& /*scope*/) { return node.value; }

Value Evaluator::value_of(const Variable& node, Scope& scope) {
  if (const Value* found = scope.find(node.name)) return *found;
  if (auto function = find_function(node.name)) return std::move(*function);
  return Value::undefined(fmt::format("'{}' is undefined", node.name));
}

Value Evaluator::value_of(const Sequence& node, Scope& scope) {
  std::vector<Value> items;
  items.reserve(node.items.size());
  for (const ExpressionPtr& item : node.items) items.push_back(evaluate(*item, scope));
  return node.is_tuple ? Value::tuple(std::move(items)) : Value::list(std::move(items));
}

Value Evaluator::value_of(const Mapping& node, Scope& scope) {
  Dict dict;
  for (const auto& [key, value] : node.items) {
    Value name = evaluate(*key, scope);
    dict.set(std::move(name), evaluate(*value, scope));
  }
  return dict;
}

Value Evaluator::value_of(const Attribute& node, Scope& scope) {
  return attribute_of(evaluate(*node.object, scope), node.name);
}

Value Evaluator::value_of(const Subscript& node, Scope& scope) {
  const Value object = evaluate(*node.object, scope);
  return element_of(object, evaluate(*node.key, scope));
}

Value Evaluator::value_of(const Slice& node, Scope& scope) {
  const auto bound = [&](const ExpressionPtr& written) {
    return written ? evaluate(*written, scope) : Value(None{});
  };
  const Value object = evaluate(*node.object, scope);
  const Value begin = bound(node.begin);
  const Value end = bound(node.end);
  return slice_of(object, begin, end, bound(node.step), budget);
}

Arguments Evaluator::arguments_of(const ArgumentList& list, Scope& scope) {
  Arguments made;
  for (const ExpressionPtr& one : list.positional) made.positional.push_back(evaluate(*one, scope));
  for (const auto& [name, one] : list.named) made.named.emplace_back(name, evaluate(*one, scope));
  if (list.more_positional) {
    const Value more = evaluate(*list.more_positional, scope);
    need_defined(more);
    for (Value& one : elements_of(more, budget)) made.positional.push_back(std::move(one));
  }
  if (list.more_named) {
    const Value more = evaluate(*list.more_named, scope);
    if (more.dict() == nullptr)
      throw Fault(fmt::format("** needs a dictionary, found {}", more.type()));
    for (const auto& [name, one] : more.dict()->items())
      made.named.emplace_back(need_text(name, "an argument's name").bytes(), one);
  }
  return made;
}

Value Evaluator::call_node(const Call& node, const Arguments& arguments, Scope& scope) {
  const auto* attribute = std::get_if<Attribute>(&node.callee->node);
  if (attribute == nullptr) return call(evaluate(*node.callee, scope), arguments);
  const Value object = evaluate(*attribute->object, scope);
  if (object.object() == nullptr && has_method(object, attribute->name)) {
    budget.step();
    return call_method(*this, object, attribute->name, arguments);
  }
  return call(attribute_of(object, attribute->name), arguments);
}

Value Evaluator::value_of(const Call& node, Scope& scope) {
  return call_node(node, arguments_of(node.arguments, scope), scope);
}

Value Evaluator::value_of(const Filter& node, Scope& scope) {
  const Value subject = node.subject ? evaluate(*node.subject, scope) : *block_text_;
  return filter(node.name, subject, arguments_of(node.arguments, scope));
}

Value Evaluator::filtered(const Expression& filter, Value text, Scope& scope) {
  const Value* outer = std::exchange(block_text_, &text);
  Value result = evaluate(filter, scope);
  block_text_ = outer;
  return result;
}

Value Evaluator::value_of(const Test& node, Scope& scope) {
  const Value subject = evaluate(*node.subject, scope);
  return test(node.name, subject, arguments_of(node.arguments, scope)) != node.negated;
}

Value Evaluator::value_of(const Negation& node, Scope& scope) {
  return !evaluate(*node.operand, scope).truth();
}

Value Evaluator::value_of(const Sign& node, Scope& scope) {
  return with_sign(evaluate(*node.operand, scope), node.minus);
}

Value Evaluator::value_of(const Arithmetic& node, Scope& scope) {
  const Value left = evaluate(*node.left, scope);
  return calculate(node.op, left, evaluate(*node.right, scope), budget);
}

Value Evaluator::value_of(const Comparison& node, Scope& scope) {
  Value left = evaluate(*node.first, scope);
  for (const auto& [op, operand] : node.rest) {
    Value right = evaluate(*operand, scope);
    if (!holds(op, left, right, budget)) return false;
    left = std::move(right);
  }
  return true;
}

Value Evaluator::value_of(const And& node, Scope& scope) {
  Value left = evaluate(*node.left, scope);
  return left.truth() ? evaluate(*node.right, scope) : left;
}

Value Evaluator::value_of(const Or& node, Scope& scope) {
  Value left = evaluate(*node.left, scope);
  return left.truth() ? left : evaluate(*node.right, scope);
}

Value Evaluator::value_of(const Concatenation& node, Scope& scope) {
  Text joined;
  for (const ExpressionPtr& part : node.parts) {
    const Text text = write(evaluate(*part, scope));
    budget.make(text.size());
    joined.append(text);
  }
  return joined;
}

Value Evaluator::value_of(const Conditional& node, Scope& scope) {
  if (evaluate(*node.condition, scope).truth()) return evaluate(*node.then, scope);
  if (node.otherwise) return evaluate(*node.otherwise, scope);
  return Value::undefined("an 'if' without 'else' has no value where it is false");
}

}  // namespace outrider::jinja
