#pragma once

#include <string>
#include <string_view>

namespace outrider::jinja {

/// A local date and time, as a wall clock shows it.
struct CivilTime {
  int year = 1970;
  int month = 1;  // from 1
  int day = 1;
  int hour = 0;
  int minute = 0;
  int second = 0;
};

/// Python's `strftime` in the C locale: %a %A %b %B %c %d %D %e %F %H %I %j %m %M %p %S %T %u %w %x %X %y %Y
/// %%.
/// @throws Fault for another code
std::string format_time(std::string_view format, const CivilTime& time);

}  // namespace outrider::jinja
