#pragma once

#include <nlohmann/json.hpp>

#include "runtime/methods/prepared_method.h"

namespace outrider::serve {

/// The settings of a method as clients are told them: without those that name files of the server's machine.
nlohmann::ordered_json shown_settings(const methods::PreparedMethod& method);

}  // namespace outrider::serve
