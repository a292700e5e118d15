#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace outrider::cli {

struct HelpNotes;

/// The values of a config file, as texts.
using ConfigValues = std::map<const CLI::Option*, std::vector<std::string>>;

/// The command of each table's name; a command that had another name before has both.
using TableNames = std::map<std::string, std::string>;

/// Makes the values of the command's table the defaults of its options: bound variables change, and
/// `count()` stays 0, so that options given on the command line remain distinguishable.
/// @param tables  of the program; those of other commands are skipped
/// @throws InputError naming file, line and key, also where the command has a table of each of its names
ConfigValues apply_config(CLI::App& command, const std::filesystem::path& file,
                          const TableNames& tables);

/// Does the same with what an earlier run was given, for options with a value neither of the command line nor of a file.
/// Keys that there are no more, and paths, of which such a text has names only, are left out.
/// @param text        of `config_text`, or of part of it; empty: nothing is done
/// @param configured  the values of a file, to which these are added
void apply_earlier(CLI::App& command, const std::string& text, ConfigValues& configured);

/// How paths are written: kByName leaves out the folder, for records that are used on other
/// machines.
enum class PathText { kAsGiven, kByName };

/// The options as TOML with their resolved values; those without a value are comments, and so are those
/// of `Option::tells` that nothing says. Given to `--config` it repeats the run.
std::string config_text(const CLI::App& command, const HelpNotes& notes,
                        const ConfigValues& configured, PathText paths = PathText::kAsGiven);

/// Such a text without the values of some options. @param keys  their long names
std::string without(const std::string& text, const std::vector<std::string>& keys);

}  // namespace outrider::cli
