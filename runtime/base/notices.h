#pragma once

#include <functional>
#include <string>

namespace outrider {

/// Who is told, a sentence each; either may be empty.
struct Notices {
  using Tell = std::function<void(const std::string&)>;

  Tell inform;  // what is done or was loaded
  Tell warn;    // what is wrong, but does not stop the command
};

}  // namespace outrider
