#pragma once

#include <list>
#include <string>

#include "runtime/methods/method.h"
#include "runtime/session/session.h"

namespace outrider::serve {

/// The methods that requests asked for last, prepared: another request with the same settings and temperature
/// need not prepare it again. For one thread, that of the session's engine.
class PreparedMethods {
 public:
  struct Kept {
    std::string key;  // the method, its settings and the temperature
    methods::PreparedMethod method;
  };
  explicit PreparedMethods(const session::Session& session) : session_(session) {}

  /// @throws InputError as Method::prepare
  Kept find(methods::Method& method, double temperature);

 private:
  static constexpr std::size_t kMostKept = 16;

  const session::Session& session_;
  std::list<Kept> kept_;  // the one used last first
};

}  // namespace outrider::serve
