#pragma once

#include <cstdint>
#include <string>

namespace outrider::grammar {

/// What an answer has to be.
struct AnswerFormat {
  enum class Kind : std::uint8_t {
    kText,        // anything
    kJsonObject,  // any JSON object
    kJsonSchema,  // JSON that a schema describes
  };
  Kind kind = Kind::kText;
  std::string schema = {};  // JSON text; its order of properties is the answer's
};

}  // namespace outrider::grammar
