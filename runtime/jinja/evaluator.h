#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/jinja/rendering.h"
#include "runtime/jinja/scope.h"
#include "runtime/jinja/syntax.h"

namespace outrider::jinja {

/// Evaluates the expressions of a template and renders its statements.
class Evaluator : public Rendering {
 public:
  using Rendering::Rendering;
  ~Evaluator() override;

  /// @param variables  what the template is given
  /// @throws Fault, and then `fault_at` says where
  Text run(const Block& block, const Dict& variables);
  /// The offset in the source of the innermost expression or statement that failed.
  std::optional<std::size_t> fault_at() const { return fault_at_; }

  Value evaluate(const Expression& expression, Scope& scope);

  /// Calls a macro. @param around  the scope that it was defined in
  Value call_macro(const MacroCode& code, Scope& around, const Arguments& arguments);

 private:
  enum class Flow : std::uint8_t { kOn, kBreak, kContinue };

  // Expressions (evaluate.cc).
  Value value_of(const Constant& node, Scope& scope);
  Value value_of(const Variable& node, Scope& scope);
  Value value_of(const Sequence& node, Scope& scope);
  Value value_of(const Mapping& node, Scope& scope);
  Value value_of(const Attribute& node, Scope& scope);
  Value value_of(const Subscript& node, Scope& scope);
  Value value_of(const Slice& node, Scope& scope);
  Value value_of(const Call& node, Scope& scope);
  Value value_of(const Filter& node, Scope& scope);
  Value value_of(const Test& node, Scope& scope);
  Value value_of(const Negation& node, Scope& scope);
  Value value_of(const Sign& node, Scope& scope);
  Value value_of(const Arithmetic& node, Scope& scope);
  Value value_of(const Comparison& node, Scope& scope);
  Value value_of(const And& node, Scope& scope);
  Value value_of(const Or& node, Scope& scope);
  Value value_of(const Concatenation& node, Scope& scope);
  Value value_of(const Conditional& node, Scope& scope);
  Arguments arguments_of(const ArgumentList& list, Scope& scope);
  Value call_node(const Call& node, const Arguments& arguments, Scope& scope);
  /// A block's text through its filters.
  Value filtered(const Expression& filter, Value text, Scope& scope);

  // Statements (render.cc).
  Flow render(const Block& block, Scope& scope, Text& out);
  Flow render_one(const Data& node, Scope& scope, Text& out);
  Flow render_one(const Output& node, Scope& scope, Text& out);
  Flow render_one(const If& node, Scope& scope, Text& out);
  Flow render_one(const For& node, Scope& scope, Text& out);
  Flow render_one(const Set& node, Scope& scope, Text& out);
  Flow render_one(const SetBlock& node, Scope& scope, Text& out);
  Flow render_one(const Macro& node, Scope& scope, Text& out);
  Flow render_one(const CallBlock& node, Scope& scope, Text& out);
  Flow render_one(const FilterBlock& node, Scope& scope, Text& out);
  Flow render_one(const With& node, Scope& scope, Text& out);
  Flow render_one(const Break& node, Scope& scope, Text& out);
  Flow render_one(const Continue& node, Scope& scope, Text& out);
  /// The body in a scope of its own, as text.
  Text text_of(const Block& body, Scope& around);
  void loop_over(const For& node, const Value& elements, std::size_t depth, Scope& scope,
                 Text& out);
  std::vector<Value> loop_elements(const For& node, const Value& elements, Scope& scope);
  void assign(const Target& target, const Value& value, Scope& scope);
  void write_out(const Text& text, Text& out);
  ObjectPtr macro_object(std::shared_ptr<const MacroCode> code, Scope& scope);

  std::unique_ptr<Scope> inner(Scope& around) { return std::make_unique<Scope>(&around); }
  /// Ends the use of a scope, which lives on where a macro looks up its names in it.
  void retire(std::unique_ptr<Scope> scope);
  void note_fault(std::size_t at) {
    if (!fault_at_) fault_at_ = at;
  }

  std::vector<std::unique_ptr<Scope>> scopes_;  // that macros may look up names in
  const Value* block_text_ = nullptr;           // what filters of a block begin with
  const Text* output_ = nullptr;                // what is rendered, of which the length is limited
  std::optional<std::size_t> fault_at_;
};

}  // namespace outrider::jinja
