#pragma once

#include <fmt/core.h>

#include <string_view>
#include <utility>

namespace outrider {

/// Writes to standard error: progress, figures, warnings. What cannot be written is dropped; a log on
/// a full disk, or a terminal that was closed, must not end a run.
void write_log(std::string_view text) noexcept;

/// The same with the arguments of fmt::print.
template <typename... Arguments>
void print_log(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write_log(fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace outrider
