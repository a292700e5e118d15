#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace outrider::cli {

/// Whether the option takes several values; none; a whole number; a real number.
bool is_list(const CLI::Option& option);
bool is_flag(const CLI::Option& option);
bool is_integer(const CLI::Option& option);
bool is_real(const CLI::Option& option);

/// The name in messages: "--max-new", or "FILE" for a positional.
std::string shown_name(const CLI::Option& option);

/// Assigns each option its texts, exactly as in `words`; converts nothing yet.
/// CLI11's own parser is not used because it splits "[a,b]", drops the word after "--system=" and
/// takes "--" for the end of a list.
/// @throws InputError for an unknown flag, a missing value, a value too many
void assign_arguments(CLI::App& command, const std::vector<std::string>& words);

/// Converts and checks the texts from `assign_arguments` or a config file, into the bound variable.
/// @throws InputError with the option, the expected form and the value found
void convert(CLI::Option& option);

/// Restricts a numeric option to plain decimal: no hexadecimal, no octal, no "nan".
void require_decimal(CLI::Option& option);

/// @throws InputError naming the first required option without a value
void check_required(const CLI::App& command);

}  // namespace outrider::cli
