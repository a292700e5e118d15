#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/jinja/value.h"

namespace outrider::jinja {

struct Expression;
struct Statement;
using ExpressionPtr = std::unique_ptr<Expression>;
/// Statements in their order.
using Block = std::vector<Statement>;

/// Arguments as they are written. `*` and `**` stand last.
struct ArgumentList {
  std::vector<ExpressionPtr> positional;
  std::vector<std::pair<std::string, ExpressionPtr>> named;
  ExpressionPtr more_positional;  // *list, or nullptr
  ExpressionPtr more_named;       // **dictionary, or nullptr
};

// Expressions.

struct Constant {
  Value value;
};
struct Variable {
  std::string name;
};
struct Sequence {
  std::vector<ExpressionPtr> items;
  bool is_tuple;
};
struct Mapping {
  std::vector<std::pair<ExpressionPtr, ExpressionPtr>> items;
};
/// object.name
struct Attribute {
  ExpressionPtr object;
  std::string name;
};
/// object[key]
struct Subscript {
  ExpressionPtr object;
  ExpressionPtr key;
};
/// object[begin:end:step], each of which may be nullptr
struct Slice {
  ExpressionPtr object;
  ExpressionPtr begin;
  ExpressionPtr end;
  ExpressionPtr step;
};
struct Call {
  ExpressionPtr callee;
  ArgumentList arguments;
};
/// subject | name(arguments)
struct Filter {
  ExpressionPtr subject;  // nullptr: the text of a block
  std::string name;
  ArgumentList arguments;
};
/// subject is name(arguments)
struct Test {
  ExpressionPtr subject;
  std::string name;
  ArgumentList arguments;
  bool negated;
};
enum class Operator : std::uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kFloorDivide,
  kRemainder,
  kPower,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIn,
  kNotIn,
};
struct Negation {  // not
  ExpressionPtr operand;
};
struct Sign {
  ExpressionPtr operand;
  bool minus;
};
struct Arithmetic {
  Operator op;
  ExpressionPtr left;
  ExpressionPtr right;
};
/// first op operand op operand …, every pair of neighbours compared
struct Comparison {
  ExpressionPtr first;
  std::vector<std::pair<Operator, ExpressionPtr>> rest;
};
struct And {
  ExpressionPtr left;
  ExpressionPtr right;
};
struct Or {
  ExpressionPtr left;
  ExpressionPtr right;
};
/// a ~ b ~ …
struct Concatenation {
  std::vector<ExpressionPtr> parts;
};
/// then if condition else otherwise; `otherwise` may be nullptr
struct Conditional {
  ExpressionPtr condition;
  ExpressionPtr then;
  ExpressionPtr otherwise;
};

struct Expression {
  std::size_t at;  // offset in the source, for messages
  std::variant<Constant, Variable, Sequence, Mapping, Attribute, Subscript, Slice, Call, Filter,
               Test, Negation, Sign, Arithmetic, Comparison, And, Or, Concatenation, Conditional>
      node;
};

// Statements.

/// What is assigned to: a name, an attribute of a namespace, or several targets at once.
struct Target {
  std::string name;
  std::string attribute = {};        // empty: the name itself
  std::vector<Target> several = {};  // not empty: a tuple of these
};

struct Parameter {
  std::string name;
  ExpressionPtr otherwise;  // its default, or nullptr
};
/// What can be called with arguments: a macro, or the body of a call block.
struct MacroCode {
  std::string name;
  std::vector<Parameter> parameters;
  Block body;
  bool takes_more_positional = false;  // it uses `varargs`
  bool takes_more_named = false;       // `kwargs`
  bool takes_caller = false;           // `caller`
};

struct Data {
  std::string text;
};
struct Output {
  ExpressionPtr expression;
};
struct If {
  std::vector<std::pair<ExpressionPtr, Block>> branches;
  Block otherwise;
};
struct For {
  Target target;
  ExpressionPtr elements;
  ExpressionPtr condition;  // nullptr: all elements
  bool is_recursive;
  Block body;
  Block otherwise;
};
struct Set {
  Target target;
  ExpressionPtr value;
};
/// The text of a block, through filters, to a target.
struct SetBlock {
  Target target;
  ExpressionPtr filter;  // or nullptr
  Block body;
};
struct Macro {
  std::shared_ptr<const MacroCode> code;
};
/// A call whose macro can call the body back.
struct CallBlock {
  ExpressionPtr call;
  std::shared_ptr<const MacroCode> body;
};
struct FilterBlock {
  ExpressionPtr filter;
  Block body;
};
/// A body with variables of its own: `with`, and `generation`, which has no assignments.
struct With {
  std::vector<std::pair<Target, ExpressionPtr>> assignments;
  Block body;
};
struct Break {};
struct Continue {};

struct Statement {
  std::size_t at;
  std::variant<Data, Output, If, For, Set, SetBlock, Macro, CallBlock, FilterBlock, With, Break,
               Continue>
      node;
};

}  // namespace outrider::jinja
