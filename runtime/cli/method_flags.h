#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/cli/command_options.h"
#include "runtime/methods/list.h"

namespace outrider::cli {

/// `--method` and the settings of all methods as flags: one flag for settings of the same name.
class MethodFlags {
 public:
  /// @param initial  the default of --method
  /// @param list     the available methods
  explicit MethodFlags(std::string initial,
                       const methods::MethodList& list = methods::all_methods());

  /// --method, with a line on each, and --help-method.
  void declare_method(CommandOptions& command);
  /// --method, restricted to methods that copy.
  void declare_copying_method(CommandOptions& command);
  /// The settings of all methods, in each method's order. @param except  those that the command has no use for
  void declare_settings(CommandOptions& command, const std::set<std::string>& except = {});
  /// One of them.
  void declare_setting(CommandOptions& command, const std::string& name);

  /// The chosen method, with the values of the flags.
  /// @param given  the flags on the command line
  /// @throws InputError when one of them belongs to other methods only
  std::unique_ptr<methods::Method> chosen(const std::set<std::string>& given) const;

  /// Gives a method's settings the values of their flags.
  void read(methods::Method& one) const;

  /// @throws InputError naming the first given flag that does not apply, where the chosen method
  ///         does not copy
  void check_copies(const std::set<std::string>& given,
                    const std::vector<std::string>& flags) const;

  std::string method;  // the chosen name

 private:
  friend class FlagCollector;
  friend class FlagReader;
  using Value = std::variant<int, std::optional<int>, std::optional<double>, bool, std::string,
                             std::vector<std::string>>;
  struct Flag {
    methods::Setting setting;
    Value value;
    Check check;                     // of its range or names; empty: any
    std::vector<std::string> users;  // the methods that have it
    /// Pairs of a Setting::method_help and the methods that say so, in the order of the list.
    std::vector<std::pair<std::string, std::vector<std::string>>> method_helps = {};

    void add(const std::string& method_help, const std::string& user);
  };

  void check_user(const std::string& flag, const std::vector<std::string>& users) const;
  std::size_t index_of(
      const std::string& name) const;  // the number of flags where none has the name
  Flag& find(const std::string& name) const;
  void declare(CommandOptions& command, Flag& flag);
  std::string help_of(const std::string& method, const CLI::App& command) const;
  std::vector<std::string> copying() const;

  methods::MethodList list_;
  std::vector<std::unique_ptr<Flag>> flags_;  // CLI11 keeps references to their values
};

}  // namespace outrider::cli
