#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace outrider::grammar {

/// What a process may use.
struct ApartLimits {
  std::chrono::seconds processor{10};
  std::chrono::seconds wall{30};
  std::int64_t bytes = std::int64_t{2}
                       << 30;  // beyond what this process has; not kept to under sanitizers
};

/// Runs `work` in a copy of this process, which ends with it, so that it can be given up. Of this process's threads only the
/// caller goes on in the copy: `work` must not wait for another.
/// @return what it returns
/// @throws InputError with what it threw; where it took too long or too much memory, or ended otherwise
std::string run_apart(const std::function<std::string()>& work, const ApartLimits& limits = {});

}  // namespace outrider::grammar
