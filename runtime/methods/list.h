#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/methods/method.h"

namespace outrider::methods {

using NewMethod = std::unique_ptr<Method> (*)();
using MethodList = std::vector<NewMethod>;

/// All methods of list.inc.
const MethodList& all_methods();

std::vector<std::string> names_of(const MethodList& list);
/// Of those that can do something.
std::vector<std::string> names_of(const MethodList& list, bool Capabilities::*what);

/// The method of this name, with its default settings.
/// @throws InputError listing the available names
std::unique_ptr<Method> new_method(const std::string& name, const MethodList& list = all_methods());

}  // namespace outrider::methods
