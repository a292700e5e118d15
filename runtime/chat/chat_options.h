#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/jinja/civil_time.h"

namespace outrider::text {

struct ChatOptions {
  std::string format = "auto";  // a name of `--chat`; "auto": the model's own template
  std::vector<std::pair<std::string, std::string>> arguments =
      {};                  // of the template: names and values
  bool thinking = true;    // false: templates that have a switch for it are told not to
  std::string today = {};  // the date that a template can write: "2026-01-31"; empty: the clock's
};

/// Arguments as one line of JSON, and read again.
std::string arguments_text(const std::vector<std::pair<std::string, std::string>>& arguments);
std::vector<std::pair<std::string, std::string>> parse_arguments(const std::string& text);

/// The date that `ChatOptions::today` stands for, at midnight: a text depends on the day, not on the minute.
/// @throws InputError for what is no date
jinja::CivilTime date_of(const std::string& today);

}  // namespace outrider::text
