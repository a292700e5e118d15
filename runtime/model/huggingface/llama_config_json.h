#pragma once

#include <nlohmann/json_fwd.hpp>

#include "runtime/model/config.h"

namespace outrider::model {

/// The shape of a Llama as transformers' `config.json` has it.
nlohmann::ordered_json llama_config_json(const ModelConfig& config);

}  // namespace outrider::model
