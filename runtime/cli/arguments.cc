#include "runtime/cli/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cctype>

#include "runtime/base/closest_name.h"
#include "runtime/base/error.h"
#include "runtime/base/numbers.h"

namespace outrider::cli {
namespace {

/// "--name…" or "-x…": ends a list of values. "-5" and "-" do not.
bool looks_like_flag(const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return false;
  return word[1] == '-' || std::isalpha(static_cast<unsigned char>(word[1])) != 0;
}

class Assignment {
 public:
  Assignment(CLI::App& command, const std::vector<std::string>& words)
      : command_(command), words_(words) {}

  void run() {
    while (next_ < words_.size()) {
      const std::string& word = words_[next_++];
      if (only_positionals_ || !looks_like_flag(word)) {
        take_positional(word);
      } else if (word == "--") {
        only_positionals_ = true;
      } else if (word[1] == '-') {
        take_long(word);
      } else {
        take_short(word);
      }
    }
  }

 private:
  void take_long(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    CLI::Option* option = command_.get_option_no_throw(name);
    if (option == nullptr) throw unknown_flag(name);
    if (equals != std::string::npos) {
      give(*option, word.substr(equals + 1));
    } else if (is_flag(*option)) {
      give(*option, "true");
    } else {
      take_values(*option, name);
    }
  }

  /// "-n", "-n8", and "-ab" for two flags.
  void take_short(const std::string& word) {
    for (std::size_t i = 1; i < word.size(); ++i) {
      const std::string name{'-', word[i]};
      CLI::Option* option = command_.get_option_no_throw(name);
      if (option == nullptr) throw unknown_flag(i == 1 ? word : name);
      if (is_flag(*option)) {
        give(*option, "true");
      } else if (i + 1 < word.size()) {
        give(*option, word.substr(i + 1));
        return;
      } else {
        take_values(*option, name);
      }
    }
  }

  /// The first value may start with a dash; a list ends before the next flag.
  void take_values(CLI::Option& option, const std::string& name) {
    if (next_ == words_.size()) {
      throw InputError(fmt::format("{}: expected a value after it, found none", name));
    }
    give(option, words_[next_++]);
    if (!is_list(option)) return;
    while (next_ < words_.size() && !looks_like_flag(words_[next_])) give(option, words_[next_++]);
  }

  void take_positional(const std::string& word) {
    for (CLI::Option* option : command_.get_options()) {
      if (!option->get_positional() || (option->count() > 0 && !is_list(*option))) continue;
      give(*option, word);
      return;
    }
    throw InputError(
        fmt::format("'{}' was not expected; `{} --help` lists what can be given (a text with "
                    "spaces needs quotes)",
                    word, full_name()));
  }

  void give(CLI::Option& option, std::string value) {
    if (option.count() > 0 && !is_list(option)) {
      throw InputError(fmt::format("{}: given more than once", shown_name(option)));
    }
    option.add_result(std::move(value));
  }

  std::string full_name() const {
    return command_.get_parent()->get_name() + " " + command_.get_name();
  }

  InputError unknown_flag(const std::string& name) const {
    std::vector<std::string> known;
    for (const CLI::Option* option : command_.get_options()) {
      for (const std::string& long_name : option->get_lnames()) known.push_back("--" + long_name);
    }
    return InputError(fmt::format("unknown flag {}{}; `{} --help` lists the flags", name,
                                  did_you_mean(name, known), full_name()));
  }

  CLI::App& command_;
  const std::vector<std::string>& words_;
  std::size_t next_ = 0;
  bool only_positionals_ = false;
};

bool type_begins_with(const CLI::Option& option, const char* type) {
  return option.get_type_name().rfind(type, 0) == 0;
}

const char* kind_of_value(const CLI::Option& option) {
  if (is_flag(option)) return "true or false";
  if (type_begins_with(option, "UINT")) return "a whole number, 0 or more";
  if (is_integer(option)) return "a whole number";
  return is_real(option) ? "a number" : "another value";
}

}  // namespace

bool is_list(const CLI::Option& option) { return option.get_items_expected_max() > 1; }

bool is_flag(const CLI::Option& option) { return option.get_items_expected_max() == 0; }

bool is_integer(const CLI::Option& option) {
  return type_begins_with(option, "INT") || type_begins_with(option, "UINT");
}

bool is_real(const CLI::Option& option) { return type_begins_with(option, "FLOAT"); }

std::string shown_name(const CLI::Option& option) {
  if (!option.get_lnames().empty()) return "--" + option.get_lnames().front();
  return option.get_name();
}

void assign_arguments(CLI::App& command, const std::vector<std::string>& words) {
  for (CLI::Option* option : command.get_options()) option->allow_extra_args(false);
  Assignment(command, words).run();
}

void convert(CLI::Option& option) {
  try {
    option.run_callback();
  } catch (const CLI::ConversionError&) {
    throw InputError(fmt::format("{}: expected {}, found '{}'", shown_name(option),
                                 kind_of_value(option), fmt::join(option.results(), " ")));
  } catch (const CLI::Error& error) {
    std::string message = error.what();
    const std::string long_prefix = option.get_name() + ": ";
    if (message.rfind(long_prefix, 0) == 0) message.erase(0, long_prefix.size());
    throw InputError(fmt::format("{}: {}", shown_name(option), message));
  }
}

void require_decimal(CLI::Option& option) {
  if (!is_integer(option) && !is_real(option)) return;
  const bool real = is_real(option);
  const std::string expected = kind_of_value(option);
  option.check([real, expected](const std::string& text) {
    return (real ? parse_real(text).has_value() : parse_integer(text).has_value())
               ? std::string()
               : fmt::format("expected {}, found '{}'", expected, text);
  });
}

void check_required(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (!option->get_required() || option->count() > 0) continue;
    throw InputError(
        fmt::format("{} is required: {}", shown_name(*option), option->get_description()));
  }
}

}  // namespace outrider::cli
