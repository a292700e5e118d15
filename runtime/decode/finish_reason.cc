#include "runtime/decode/finish_reason.h"

#include <stdexcept>

namespace outrider::decode {

const char* finish_name(FinishReason reason) {
  switch (reason) {
    case FinishReason::kStop:
      return "stop";
    case FinishReason::kLength:
      return "length";
    case FinishReason::kContext:
      return "context";
    case FinishReason::kInterrupted:
      return "interrupted";
  }
  throw std::logic_error("finish_name: no such reason");
}

}  // namespace outrider::decode
