#pragma once

#include <cstdint>
#include <list>
#include <string>

#include "runtime/methods/method.h"
#include "runtime/session/session.h"

namespace outrider::serve {

/// The methods that requests asked for last, prepared: another request with the same settings and temperature
/// need not prepare it again. What they load has a limit too. For one thread, that of the session's engine.
class PreparedMethods {
 public:
  struct Kept {
    std::string key;  // the method, its settings and the temperature
    methods::PreparedMethod method;
  };
  /// @param most_bytes  that a method may load, and that others leave for where all together have more than half of it;
  ///                    0: no limit
  PreparedMethods(const session::Session& session, std::int64_t most_bytes)
      : session_(session), most_bytes_(most_bytes), bytes_before_(loaded_bytes()) {}

  /// @throws InputError as Method::prepare
  /// @throws ApiError if the method loads more than there is memory for
  Kept find(methods::Method& method, double temperature);
  /// Unloads what only this one needs. @param key  Kept::key
  void forget(const std::string& key);
  /// Memory of what was loaded since and is in use.
  std::int64_t bytes() const { return loaded_bytes() - bytes_before_; }

 private:
  static constexpr std::size_t kMostKept = 16;

  std::int64_t loaded_bytes() const { return session_.for_methods().loaded_bytes(); }

  const session::Session& session_;
  std::int64_t most_bytes_;
  std::int64_t bytes_before_;  // of the session's own method
  std::list<Kept> kept_;       // the one used last first
};

}  // namespace outrider::serve
