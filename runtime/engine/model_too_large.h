#pragma once

#include <cstdint>
#include <string>

#include "runtime/base/error.h"

namespace outrider::engine {

/// A card has less memory than a model needs.
class ModelTooLarge : public InputError {
 public:
  /// @param model   its file
  /// @param needed  bytes of its weights
  /// @param card    its name
  /// @param free    bytes of the card's memory that no one uses
  ModelTooLarge(const std::string& model, std::int64_t needed, const std::string& card,
                std::int64_t free);
};

}  // namespace outrider::engine
