#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/cli/file_roles.h"
#include "runtime/cli/help.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace outrider::cli {

/// Checks a value: the error as half a sentence ("expected …, found …"); empty: none.
using Check = std::function<std::string(const std::string& value)>;

/// The largest number of tokens that a flag accepts.
inline constexpr std::int64_t kMostTokens = 1 << 24;

/// Accepts one of a few texts; the message lists them.
Check one_of(const std::vector<std::string>& names);

/// Accepts a finite plain decimal number low <= x <= high; the message names both ends.
Check whole_number(std::int64_t low, std::int64_t high);
Check real_number(double low, double high);

/// A declared option, for further settings.
class Option {
 public:
  /// @param texts  of its value, once options have their values; empty: it is no text
  Option(CLI::Option* option, HelpNotes& notes, FileRoles& roles, FileRole::Texts texts = {})
      : option_(option), notes_(notes), roles_(roles), texts_(std::move(texts)) {}
  /// The name of the value in the help: "FILE". An option with such a name rejects an empty text.
  Option& type_name(const std::string& name);
  Option& required();
  Option& check(const Check& check);
  /// `is_said` becomes true where the command line or a config file gives a value; several options may tell the same. Where
  /// none does, something else may give their values, and --print-config prints the defaults as comments.
  Option& tells(bool& is_said);
  /// Most people do not set it: where the help is longer than a screen, only --help-all shows it.
  Option& rare();
  /// The text of the help that fits a screen, in place of the description.
  Option& brief(const std::string& text);

  // What happens with the files that the value names: no output may replace an input or another output.

  /// They are read. @param inputs  what that is for a value, which may be empty; by default the file itself
  Option& reads(FileRole::Inputs inputs = file_at);
  /// They are written. @param outputs  what that is for a value, which may be empty; by default the file itself
  Option& writes(FileRole::Outputs outputs = written_at);
  /// They are read and then replaced, or one of the artifact files of a folder is. @param outputs  likewise
  Option& updates(FileRole::Outputs outputs = written_at);

 private:
  std::string name() const;

  CLI::Option* option_;
  HelpNotes& notes_;
  FileRoles& roles_;
  FileRole::Texts texts_;
};

/// The options of one subcommand, bound to variables whose initial values are the defaults shown in
/// the help. A name without dashes ("DIR") is a positional, which names a file or a folder and so
/// rejects an empty text. Hides CLI11, whose header adds seconds to every file that includes it.
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
  /// The variable keeps its value where the option is not given; an empty text ('') is a value.
  Option add_option(const std::string& flags, std::optional<std::string>& value,
                    const std::string& description);
  Option add_option(const std::string& flags, std::optional<int>& value,
                    const std::string& description);
  Option add_option(const std::string& flags, std::optional<double>& value,
                    const std::string& description);
  /// Adds an option that takes one or more texts and may be repeated. The texts are passed
  /// unchanged, also "[a,b]", "{}" and "--", which CLI11 treats specially in options bound to a
  /// vector.
  Option add_list(const std::string& flags, std::vector<std::string>& values,
                  const std::string& description);
  Option add_flag(const std::string& flags, bool& value, const std::string& description);

  /// The heading in the help for the options declared after it.
  void group(const std::string& heading);
  /// The text at the end of the help: paragraphs, and lines that begin with spaces.
  void footer(const std::string& text);
  /// The text of `--help-method NAME`; without it the command has no such flag.
  void help_of_method(std::function<std::string(const std::string& method)> text);
  /// Gives the command's former name, which still runs it and names its table in config files; no help shows it.
  void formerly(const std::string& name) { former_name_ = name; }
  const std::string& former_name() const { return former_name_; }
  const HelpNotes& help_notes() const { return *notes_; }
  const FileRoles& file_roles() const { return *roles_; }

  std::string name() const;
  /// The long names, without dashes, of the options given on the command line (not in a config
  /// file).
  std::set<std::string> given() const;
  CLI::App& app() const { return *app_; }

  /// Refuses options where they have no effect, if they are given on the command line; a config file
  /// may list every option.
  /// @param flags       long names, without dashes
  /// @param has_effect  asked once all options have their values
  /// @param why         half a sentence that tells the cure: "only with --loss both"
  void refuse_unless(const std::vector<std::string>& flags, std::function<bool()> has_effect,
                     const std::string& why);
  /// @throws InputError naming the first option that is given and has no effect
  void check_effects() const;

 private:
  struct Rule {
    std::vector<std::string> flags;
    std::function<bool()> has_effect;
    std::string why;
  };

  CLI::App* app_;
  std::string former_name_;                   // empty: none
  std::shared_ptr<std::vector<Rule>> rules_;  // of all copies
  std::shared_ptr<HelpNotes> notes_;          // likewise
  std::shared_ptr<FileRoles> roles_;          // likewise
};

/// Reads the texts of `add_list` as whole numbers; without texts `numbers` keeps its value.
/// @throws InputError naming the flag for a number outside low <= x <= high
void read_whole_numbers(const std::string& flag, const std::vector<std::string>& words, int low,
                        int high, std::vector<int>& numbers);

}  // namespace outrider::cli
