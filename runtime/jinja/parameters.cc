#include "runtime/jinja/parameters.h"

#include <fmt/core.h>

#include <algorithm>

#include "runtime/jinja/fault.h"

namespace outrider::jinja {

Parameters::Parameters(std::string callee, const Arguments& arguments,
                       std::initializer_list<const char*> names)
    : callee_(std::move(callee)), names_(names), values_(names.size(), nullptr) {
  if (arguments.positional.size() > names_.size()) {
    throw Fault(fmt::format("{}: found {} arguments, expected at most {}", callee_,
                            arguments.positional.size(), names_.size()));
  }
  for (std::size_t i = 0; i < arguments.positional.size(); ++i)
    values_[i] = &arguments.positional[i];
  for (const auto& argument : arguments.named) {
    const std::string& name = argument.first;
    const auto found =
        std::find_if(names_.begin(), names_.end(), [&](const char* one) { return name == one; });
    if (found == names_.end()) throw Fault(fmt::format("{}: unknown argument '{}'", callee_, name));
    const Value*& place = values_[static_cast<std::size_t>(found - names_.begin())];
    if (place != nullptr) throw Fault(fmt::format("{}: '{}' is given twice", callee_, name));
    place = &argument.second;
  }
}

const Value& Parameters::value(std::size_t index) const {
  if (!has(index)) throw Fault(fmt::format("{}: '{}' is missing", callee_, names_[index]));
  return *values_[index];
}

std::int64_t Parameters::integer(std::size_t index, std::int64_t otherwise) const {
  if (!has(index)) return otherwise;
  if (const auto whole = values_[index]->whole()) return *whole;
  throw Fault(fmt::format("{}: '{}' is {}, expected an integer", callee_, names_[index],
                          values_[index]->type()));
}

bool Parameters::flag(std::size_t index, bool otherwise) const {
  return has(index) ? values_[index]->truth() : otherwise;
}

const Text& Parameters::text(std::size_t index) const {
  return need_text(value(index), fmt::format("{}: '{}'", callee_, names_[index]));
}

const Text& need_text(const Value& value, const std::string& what) {
  if (const Text* text = value.text()) return *text;
  throw Fault(fmt::format("{} is {}, expected a string", what, value.type()));
}

}  // namespace outrider::jinja
