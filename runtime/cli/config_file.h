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

/// What a config file gave, as texts.
using ConfigValues = std::map<const CLI::Option*, std::vector<std::string>>;

/// Makes the values of the table named as the command the defaults of its options: bound variables
/// change, and `count()` stays 0, so that "given on the command line" can still be told.
/// @param commands  the program's; tables of the others are passed over
/// @throws InputError naming file, line and key
ConfigValues apply_config(CLI::App& command, const std::filesystem::path& file,
                          const std::vector<std::string>& commands);

/// How options that name files and folders are written: kByName leaves out where these are, for records
/// that go to other machines.
enum class PathText { kAsGiven, kByName };

/// The options as TOML with their resolved values; those without a value are comments. Given
/// back by `--config` it makes the same run.
std::string config_text(const CLI::App& command, const ConfigValues& configured,
                        PathText paths = PathText::kAsGiven);

}  // namespace outrider::cli
