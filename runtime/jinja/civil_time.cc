#include "runtime/jinja/civil_time.h"

#include <fmt/core.h>

#include <array>

#include "runtime/jinja/fault.h"

namespace outrider::jinja {
namespace {

constexpr std::array<const char*, 7> kDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                              "Thursday", "Friday", "Saturday"};
constexpr std::array<const char*, 12> kMonths = {"January",   "February", "March",    "April",
                                                 "May",       "June",     "July",     "August",
                                                 "September", "October",  "November", "December"};

bool is_leap(int year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

/// From 1.
int day_of_year(const CivilTime& time) {
  constexpr std::array<int, 12> kBefore = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
  return kBefore[static_cast<std::size_t>(time.month - 1)] + time.day +
         int{time.month > 2 && is_leap(time.year)};
}

/// From Sunday, 0.
int day_of_week(const CivilTime& time) {
  const int before = time.year - 1;  // whole years since the year 1, which began on a Monday
  return (before + before / 4 - before / 100 + before / 400 + day_of_year(time)) % 7;
}

std::string one_part(char code, const CivilTime& time) {
  const auto two = [](int value) { return fmt::format("{:02}", value); };
  const auto month = std::string(kMonths[static_cast<std::size_t>(time.month - 1)]);
  const auto day = std::string(kDays[static_cast<std::size_t>(day_of_week(time))]);
  switch (code) {
    case 'a':
      return day.substr(0, 3);
    case 'A':
      return day;
    case 'b':
      return month.substr(0, 3);
    case 'B':
      return month;
    case 'c':
      return format_time("%a %b %e %H:%M:%S %Y", time);
    case 'd':
      return two(time.day);
    case 'D':
    case 'x':
      return format_time("%m/%d/%y", time);
    case 'e':
      return fmt::format("{:2}", time.day);
    case 'F':
      return format_time("%Y-%m-%d", time);
    case 'H':
      return two(time.hour);
    case 'I':
      return two((time.hour + 11) % 12 + 1);
    case 'j':
      return fmt::format("{:03}", day_of_year(time));
    case 'm':
      return two(time.month);
    case 'M':
      return two(time.minute);
    case 'p':
      return time.hour < 12 ? "AM" : "PM";
    case 'S':
      return two(time.second);
    case 'T':
    case 'X':
      return format_time("%H:%M:%S", time);
    case 'u':
      return fmt::format("{}", (day_of_week(time) + 6) % 7 + 1);
    case 'w':
      return fmt::format("{}", day_of_week(time));
    case 'y':
      return two(time.year % 100);
    case 'Y':
      return fmt::format("{}", time.year);
    case '%':
      return "%";
    default:
      throw Fault(fmt::format("strftime_now: unknown code %{}", code));
  }
}

}  // namespace

std::string format_time(std::string_view format, const CivilTime& time) {
  std::string text;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      text += format[i];
      continue;
    }
    ++i;
    // %-d and the like: without leading zeros or spaces.
    const bool bare = i < format.size() && format[i] == '-';
    if (bare) ++i;
    if (i == format.size()) throw Fault("strftime_now: a % at the end");
    std::string part = one_part(format[i], time);
    while (bare && part.size() > 1 && (part[0] == '0' || part[0] == ' ')) part.erase(0, 1);
    text += part;
  }
  return text;
}

}  // namespace outrider::jinja
