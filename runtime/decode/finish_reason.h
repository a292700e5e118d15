#pragma once

#include <cstdint>

namespace outrider::decode {

/// Why a text ended.
enum class FinishReason : std::uint8_t {
  kStop,         // an end token, a listener that returned false, or the end of a given text
  kLength,       // max_new tokens are generated
  kContext,      // the context is full
  kInterrupted,  // by the user
};
/// "stop", "length", "context", "interrupted"
const char* finish_name(FinishReason reason);

}  // namespace outrider::decode
