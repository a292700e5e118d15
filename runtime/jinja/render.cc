#include <fmt/core.h>

#include <algorithm>

#include "runtime/jinja/evaluator.h"
#include "runtime/jinja/loop.h"
#include "runtime/jinja/namespace_object.h"
#include "runtime/jinja/operators.h"

namespace outrider::jinja {
namespace {

class MacroObject : public Object {
 public:
  MacroObject(Evaluator& evaluator, std::shared_ptr<const MacroCode> code, Scope& scope)
      : evaluator_(evaluator), code_(std::move(code)), scope_(scope) {}
  const char* type() const override { return "a macro"; }
  std::optional<Value> attribute(const std::string& name) const override {
    if (name == "name") return Value(code_->name);
    return std::nullopt;
  }
  Value call(Rendering& /*rendering*/, const Arguments& arguments) override {
    return evaluator_.call_macro(*code_, scope_, arguments);
  }

 private:
  Evaluator& evaluator_;
  std::shared_ptr<const MacroCode> code_;
  Scope& scope_;
};

}  // namespace

Evaluator::~Evaluator() {
  for (const auto& scope : scopes_) scope->clear();
}

Text Evaluator::run(const Block& block, const Dict& variables) {
  scopes_.push_back(std::make_unique<Scope>(nullptr));
  Scope& given = *scopes_.back();
  for (const Dict::Item& item : variables.items())
    given.set(item.first.text()->bytes(), item.second);
  scopes_.push_back(inner(given));
  Text out;
  output_ = &out;
  render(block, *scopes_.back(), out);
  return out;
}

Evaluator::Flow Evaluator::render(const Block& block, Scope& scope, Text& out) {
  const Budget::Level level(budget);
  for (const Statement& statement : block) {
    try {
      budget.step();
      const Flow flow = std::visit([&](const auto& node) { return render_one(node, scope, out); },
                                   statement.node);
      if (flow != Flow::kOn) return flow;
    } catch (const Fault&) {
      note_fault(statement.at);
      throw;
    }
  }
  return Flow::kOn;
}

void Evaluator::write_out(const Text& text, Text& out) {
  budget.make(text.size());
  if (&out == output_) budget.write(text.size());
  out.append(text);
}

Evaluator::Flow Evaluator::render_one(const Data& node, Scope& /*scope*/, Text& out) {
  write_out(Text(node.text), out);
  return Flow::kOn;
}

Evaluator::Flow Evaluator::render_one(const Output& node, Scope& scope, Text& out) {
  write_out(write(evaluate(*node.expression, scope)), out);
  return Flow::kOn;
}

Evaluator::Flow Evaluator::render_one(const If& node, Scope& scope, Text& out) {
  for (const auto& [condition, then] : node.branches) {
    if (evaluate(*condition, scope).truth()) return render(then, scope, out);
  }
  return render(node.otherwise, scope, out);
}

Evaluator::Flow Evaluator::render_one(const For& node, Scope& scope, Text& out) {
  loop_over(node, evaluate(*node.elements, scope), 0, scope, out);
  return Flow::kOn;
}

std::vector<Value> Evaluator::loop_elements(const For& node, const Value& elements, Scope& scope) {
  std::vector<Value> all = elements_of(elements, budget);
  if (!node.condition) return all;
  std::vector<Value> kept;
  for (Value& element : all) {
    auto body = inner(scope);
    assign(node.target, element, *body);
    if (evaluate(*node.condition, *body).truth()) kept.push_back(std::move(element));
    retire(std::move(body));
  }
  return kept;
}

void Evaluator::loop_over(const For& node, const Value& elements, std::size_t depth, Scope& scope,
                          Text& out) {
  const Budget::Level level(budget);
  Loop::Again again;
  if (node.is_recursive) {
    again = [this, &node, &scope](const Value& inside, std::size_t deeper) -> Value {
      Text made;
      loop_over(node, inside, deeper, scope, made);
      return made;
    };
  }
  auto loop = std::make_shared<Loop>(loop_elements(node, elements, scope), depth, std::move(again));
  const std::size_t count = loop->elements().size();
  for (std::size_t i = 0; i < count; ++i) {
    budget.step();
    auto body = inner(scope);
    loop->go_to(i);
    body->set("loop", ObjectPtr(loop));
    assign(node.target, loop->elements()[i], *body);
    const Flow flow = render(node.body, *body, out);
    retire(std::move(body));
    if (flow == Flow::kBreak) break;
  }
  if (loop.use_count() > 1) {  // it was put somewhere, and may call the loop from there
    scope.hold();
    keep(loop);
  }
  if (count > 0) return;
  auto otherwise = inner(scope);
  render(node.otherwise, *otherwise, out);
  retire(std::move(otherwise));
}

void Evaluator::assign(const Target& target, const Value& value, Scope& scope) {
  if (!target.several.empty()) {
    need_defined(value);
    const std::vector<Value> parts = elements_of(value, budget);
    if (parts.size() != target.several.size()) {
      throw Fault(fmt::format("found {} values to assign to {} names", parts.size(),
                              target.several.size()));
    }
    for (std::size_t i = 0; i < parts.size(); ++i) assign(target.several[i], parts[i], scope);
    return;
  }
  if (target.attribute.empty()) return scope.set(target.name, value);
  const Value* object = scope.find(target.name);
  auto* space = object == nullptr ? nullptr : dynamic_cast<NamespaceObject*>(object->object());
  if (space == nullptr)
    throw Fault(
        fmt::format("'{}' is no namespace, and only their attributes can be set", target.name));
  space->set(target.attribute, value);
}

Evaluator::Flow Evaluator::render_one(const Set& node, Scope& scope, Text& /*out*/) {
  assign(node.target, evaluate(*node.value, scope), scope);
  return Flow::kOn;
}

Text Evaluator::text_of(const Block& body, Scope& around) {
  Text made;
  auto scope = inner(around);
  render(body, *scope, made);
  retire(std::move(scope));
  return made;
}

Evaluator::Flow Evaluator::render_one(const SetBlock& node, Scope& scope, Text& /*out*/) {
  Value text = text_of(node.body, scope);
  assign(node.target, node.filter ? filtered(*node.filter, std::move(text), scope) : text, scope);
  return Flow::kOn;
}

ObjectPtr Evaluator::macro_object(std::shared_ptr<const MacroCode> code, Scope& scope) {
  scope.hold();
  return make<MacroObject>(*this, std::move(code), scope);
}

Evaluator::Flow Evaluator::render_one(const Macro& node, Scope& scope, Text& /*out*/) {
  scope.set(node.code->name, macro_object(node.code, scope));
  return Flow::kOn;
}

Evaluator::Flow Evaluator::render_one(const CallBlock& node, Scope& scope, Text& out) {
  const auto& call = std::get<Call>(node.call->node);
  Arguments arguments = arguments_of(call.arguments, scope);
  arguments.named.emplace_back("caller", macro_object(node.body, scope));
  write_out(write(call_node(call, arguments, scope)), out);
  return Flow::kOn;
}

Evaluator::Flow Evaluator::render_one(const FilterBlock& node, Scope& scope, Text& out) {
  write_out(write(filtered(*node.filter, text_of(node.body, scope), scope)), out);
  return Flow::kOn;
}

Evaluator::Flow Evaluator::render_one(const With& node, Scope& scope, Text& out) {
  auto own = inner(scope);
  for (const auto& [target, value] : node.assignments)
    assign(target, evaluate(*value, scope), *own);
  const Flow flow = render(node.body, *own, out);
  retire(std::move(own));
  return flow;
}

Evaluator::Flow Evaluator::render_one(const Break& /*node*/, Scope& /*scope*/, Text& /*out*/) {
  return Flow::kBreak;
}

Evaluator::Flow Evaluator::render_one(const Continue& /*node*/, Scope& /*scope*/, Text& /*out*/) {
  return Flow::kContinue;
}

Value Evaluator::call_macro(const MacroCode& code, Scope& around, const Arguments& arguments) {
  const Budget::Level level(budget);
  auto scope = inner(around);
  const std::size_t count = code.parameters.size();
  std::vector<const Value*> given(count, nullptr);
  for (std::size_t i = 0; i < std::min(count, arguments.positional.size()); ++i)
    given[i] = &arguments.positional[i];
  Dict more_named;
  Value caller = Value::undefined("the macro was not called by a call block");
  for (const auto& argument : arguments.named) {
    const std::string& name = argument.first;
    const Value& value = argument.second;
    const auto place = std::find_if(code.parameters.begin(), code.parameters.end(),
                                    [&](const Parameter& one) { return one.name == name; });
    if (place != code.parameters.end()) {
      const Value*& one = given[static_cast<std::size_t>(place - code.parameters.begin())];
      if (one != nullptr)
        throw Fault(fmt::format("the macro '{}' has '{}' twice", code.name, name));
      one = &value;
    } else if (name == "caller" && code.takes_caller) {
      caller = value;
    } else if (code.takes_more_named) {
      more_named.set(Value(name), value);
    } else {
      throw Fault(fmt::format("the macro '{}' takes no argument '{}'", code.name, name));
    }
  }
  if (arguments.positional.size() > count && !code.takes_more_positional) {
    throw Fault(fmt::format("the macro '{}' takes at most {} arguments, found {}", code.name, count,
                            arguments.positional.size()));
  }
  if (code.takes_caller) scope->set("caller", std::move(caller));
  if (code.takes_more_named) scope->set("kwargs", std::move(more_named));
  if (code.takes_more_positional) {
    const auto first = static_cast<std::ptrdiff_t>(std::min(count, arguments.positional.size()));
    scope->set("varargs",
               Value::tuple({arguments.positional.begin() + first, arguments.positional.end()}));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Parameter& parameter = code.parameters[i];
    Value value =
        given[i] != nullptr ? *given[i]
        : parameter.otherwise
            ? evaluate(*parameter.otherwise, *scope)
            : Value::undefined(fmt::format("the parameter '{}' was not given", parameter.name));
    scope->set(parameter.name, std::move(value));
  }
  Text made;
  render(code.body, *scope, made);
  retire(std::move(scope));
  return made;
}

void Evaluator::retire(std::unique_ptr<Scope> scope) {
  if (scope->is_held()) scopes_.push_back(std::move(scope));
}

}  // namespace outrider::jinja
