#include "runtime/chat/chat_options.h"

#include <fmt/core.h>

#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <string_view>

#include "runtime/base/error.h"
#include "runtime/base/numbers.h"

namespace outrider::text {

std::string arguments_text(const std::vector<std::pair<std::string, std::string>>& arguments) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, value] : arguments) json[name] = value;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::vector<std::pair<std::string, std::string>> parse_arguments(const std::string& text) {
  const auto json = nlohmann::ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  std::vector<std::pair<std::string, std::string>> arguments;
  if (!json.is_object()) return arguments;
  for (const auto& [name, value] : json.items()) {
    if (value.is_string()) arguments.emplace_back(name, value.get<std::string>());
  }
  return arguments;
}

jinja::CivilTime date_of(const std::string& today) {
  if (today.empty()) {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    return {.year = local.tm_year + 1900, .month = local.tm_mon + 1, .day = local.tm_mday};
  }
  const std::string_view text = today;
  const auto number = [&](std::size_t begin, std::size_t size) {
    return static_cast<int>(parse_unsigned(text.substr(begin, size)).value_or(0));
  };
  if (text.size() == 10 && text[4] == '-' && text[7] == '-') {
    const jinja::CivilTime date{.year = number(0, 4), .month = number(5, 2), .day = number(8, 2)};
    if (std::chrono::year_month_day(std::chrono::year(date.year),
                                    std::chrono::month(static_cast<unsigned>(date.month)),
                                    std::chrono::day(static_cast<unsigned>(date.day)))
            .ok())
      return date;
  }
  throw InputError(fmt::format("--today: found '{}', expected a date like 2026-01-31", today));
}

}  // namespace outrider::text
