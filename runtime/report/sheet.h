#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace outrider::report {

/// 49152 as "49,152".
std::string grouped(std::int64_t number);

/// Text from a file without control characters except line feeds, for terminals.
std::string printable(std::string_view text);

/// Lines of a name and what it is, for a person to read; further lines of a value are below its
/// first.
class Sheet {
 public:
  void add(std::string_view name, std::string_view value);
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace outrider::report
