#pragma once

#include <nlohmann/json_fwd.hpp>

namespace outrider {

struct DecodeOptions;

/// What the flags of the method came to, by their names, for records: enough to do the same again.
/// @param options  settled
nlohmann::ordered_json method_settings(const DecodeOptions& options);

}  // namespace outrider
