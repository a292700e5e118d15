#pragma once

#include <cstdint>
#include <string>

#include "runtime/base/error.h"

namespace outrider::engine {

/// A card has less memory than a model needs.
class ModelTooLarge : public InputError {
 public:
  struct Needed {
    std::int64_t weights;
    std::int64_t texts;  // keys and values, and the numbers between the steps of a pass
  };
  /// @param model   its file
  /// @param needed  bytes
  /// @param card    its name
  /// @param free    bytes of the card's memory that no one uses
  ModelTooLarge(const std::string& model, const Needed& needed, const std::string& card,
                std::int64_t free);
};

}  // namespace outrider::engine
