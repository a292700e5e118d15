#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace outrider::cli {

/// What is wrong with a value, as half a sentence ("expected …, found …"); empty: nothing.
using Check = std::function<std::string(const std::string& value)>;

/// The most tokens that a flag takes.
inline constexpr std::int64_t kMostTokens = 1 << 24;

/// Checks that a text is one of a few; the message lists them.
Check one_of(const std::vector<std::string>& names);

/// Checks that a number is plain decimal, finite and low <= x <= high; the message names both ends.
Check whole_number(std::int64_t low, std::int64_t high);
Check real_number(double low, double high);

/// An option just declared, to say more about it.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}
  /// What the help calls the value: "FILE". One that has such a name must not be empty.
  Option& type_name(const std::string& name);
  Option& required();
  Option& check(const Check& check);

 private:
  CLI::Option* option_;
};

/// The options of one subcommand, bound to variables whose initial values are the defaults that the
/// help shows. A name without dashes ("DIR") is a positional. It hides CLI11, whose header
/// takes seconds in every file that includes it.
class CommandOptions {
 public:
  /// Declares a subcommand of the program.
  CommandOptions(CLI::App& program, const std::string& name, const std::string& description);

  Option add_option(const std::string& flags, std::string& value, const std::string& description);
  Option add_option(const std::string& flags, int& value, const std::string& description);
  Option add_option(const std::string& flags, std::int64_t& value, const std::string& description);
  Option add_option(const std::string& flags, std::uint64_t& value, const std::string& description);
  Option add_option(const std::string& flags, float& value, const std::string& description);
  Option add_option(const std::string& flags, double& value, const std::string& description);
  /// Left alone where the option is not given; an empty text ('') is a value.
  Option add_option(const std::string& flags, std::optional<std::string>& value,
                    const std::string& description);
  Option add_option(const std::string& flags, std::optional<int>& value,
                    const std::string& description);
  Option add_option(const std::string& flags, std::optional<double>& value,
                    const std::string& description);
  /// Adds an option that takes one or more texts and may be repeated. The texts arrive as given,
  /// also "[a,b]", "{}" and "--", which CLI11 treats specially in options bound to a vector.
  Option add_list(const std::string& flags, std::vector<std::string>& values,
                  const std::string& description);
  void add_flag(const std::string& flags, bool& value, const std::string& description);

  /// The heading in the help of the options declared from here on.
  void group(const std::string& heading);
  /// What the help ends with.
  void footer(const std::string& text);

  std::string name() const;
  /// The long names, without dashes, of the options given on the command line (not in a config
  /// file).
  std::set<std::string> given() const;
  CLI::App& app() const { return *app_; }

 private:
  CLI::App* app_;
};

/// Reads what `add_list` gave as whole numbers; no words leave `numbers` as they are.
/// @throws InputError naming the flag for what is not low <= x <= high
void read_whole_numbers(const std::string& flag, const std::vector<std::string>& words, int low,
                        int high, std::vector<int>& numbers);

}  // namespace outrider::cli
