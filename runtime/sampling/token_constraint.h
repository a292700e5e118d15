#pragma once

#include <functional>
#include <memory>
#include <string>

#include "runtime/base/token.h"
#include "runtime/sampling/token_mask.h"

namespace outrider::sampling {

/// What an answer has to be, followed token by token: which tokens may come next. It refuses nothing that it allowed:
/// a token of `allowed` is accepted.
class TokenConstraint {
 public:
  virtual ~TokenConstraint() = default;

  /// The tokens that may come next, end tokens only where the answer may end. Valid until the next call of a function
  /// that is not const.
  virtual TokenMask allowed() = 0;

  /// Takes the next token. @return false, and nothing is changed, where it may not come next
  virtual bool accept(Token token) = 0;
  /// Takes the last tokens back.
  virtual void roll_back(int tokens) = 0;

  /// Whether the answer may end here.
  virtual bool is_complete() const = 0;

  /// The bytes that every answer goes on with, whatever tokens they are made of: often none, and perhaps not whole
  /// characters.
  virtual std::string forced() = 0;
};

/// Makes the constraint of an answer, at its beginning.
using NewConstraint = std::function<std::unique_ptr<TokenConstraint>()>;

}  // namespace outrider::sampling
