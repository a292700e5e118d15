#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "runtime/methods/method.h"
#include "runtime/serve/request_fields.h"

namespace outrider::serve {

/// What requests may ask for.
struct SpeculationRules {
  std::vector<std::string> names;  // of the methods
  /// A method of this name, with the settings that the server was started with.
  std::function<std::unique_ptr<methods::Method>(const std::string& name)> new_method;
  bool allow_rejection = false;  // methods that change the text, above temperature 0
};

/// How the text of a request is drafted.
struct Speculation {
  std::shared_ptr<methods::Method> method = {};  // null: the server's own
  bool check = false;                            // decode plainly too, and compare
};

/// Reads "speculation": false, true, "check", a method's name, or an object with "method", "check" and settings by
/// their flags' names; and "speculative", true or false.
/// @param temperature  of the text
/// @throws ApiError (400) naming the setting; for one that names files of the server's machine; for a
///         method that changes the text where that is not allowed
Speculation parse_speculation(RequestFields& fields, const SpeculationRules& rules,
                              double temperature);

/// Every method with its settings: ranges, names, values as the server was started with.
nlohmann::ordered_json methods_json(const SpeculationRules& rules);

}  // namespace outrider::serve
