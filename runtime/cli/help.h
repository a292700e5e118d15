#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace outrider::cli {

/// The size of a page of help that fits a screen.
inline constexpr std::size_t kHelpColumns = 80;
inline constexpr std::size_t kHelpLines = 48;

/// What is known of a command besides its options.
struct HelpNotes {
  struct OfOption {
    bool rare = false;           // only --help-all shows it
    std::string brief = {};      // --help shows this, --help-all the option's own text
    const bool* said = nullptr;  // `Option::tells`
  };
  std::map<const CLI::Option*, OfOption> options;
  // The settings of the method of this name; empty: the command has no methods.
  std::function<std::string(const std::string& method)> method_text;
};

/// The help of a command in lines of kHelpColumns: all options, or those that most people set, if all
/// would not fit kHelpLines.
std::string help_text(const CLI::App& command, const HelpNotes& notes, bool all);

/// An option in two columns. @param text  in place of its own description
std::string help_of_option(const CLI::Option& option, const std::string& text);

/// A text in lines of kHelpColumns: lines that follow each other are a paragraph, those that begin with
/// a space, such as examples, stay lines.
std::string wrapped(std::string_view text);

}  // namespace outrider::cli
