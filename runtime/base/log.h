#pragma once

#include <fmt/core.h>

#include <string_view>
#include <utility>

namespace outrider {

/// Writes progress, figures and warnings to standard error. Errors are ignored: a full disk or a closed
/// terminal must not end a run.
void write_log(std::string_view text) noexcept;

/// Writes to the log with the arguments of fmt::print.
template <typename... Arguments>
void print_log(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  write_log(fmt::format(format, std::forward<Arguments>(arguments)...));
}

}  // namespace outrider
