#include "runtime/cli/config_file.h"

#include <fmt/format.h>
#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "runtime/base/closest_name.h"
#include "runtime/base/error.h"
#include "runtime/base/numbers.h"
#include "runtime/base/text_file.h"
#include "runtime/cli/arguments.h"
#include "runtime/cli/help.h"
#include "runtime/tokenizer/utf8.h"

namespace outrider::cli {
namespace {

constexpr std::size_t kMaxConfigBytes = 1 << 20;

toml::table parse(const std::string& text, const std::filesystem::path& file) {
  try {
    return toml::parse(text, input_name(file));
  } catch (const toml::parse_error& error) {
    throw InputError(fmt::format("{}:{}: not TOML: {}", input_name(file), error.source().begin.line,
                                 error.description()));
  }
}

/// One entry of the table, and its location for messages.
struct Entry {
  const std::filesystem::path& file;
  const std::string& key;
  const toml::node& value;

  InputError error(const std::string& message) const {
    return InputError(
        fmt::format("{}:{}: {}: {}", input_name(file), value.source().begin.line, key, message));
  }
};

/// A TOML value as the command line would write it.
std::string scalar_text(const Entry& entry, const toml::node& value, const CLI::Option& option) {
  const char* expected = "a text in quotes";
  if (is_flag(option)) {
    if (const auto flag = value.value_exact<bool>()) return *flag ? "true" : "false";
    expected = "true or false";
  } else if (is_integer(option) || is_real(option)) {
    if (const auto number = value.value_exact<std::int64_t>()) return fmt::format("{}", *number);
    if (const auto number = value.value_exact<double>()) return fmt::format("{}", *number);
    expected = "a number";
  } else if (const auto text = value.value_exact<std::string>()) {
    return *text;
  }
  std::ostringstream kind;
  kind << value.type();
  throw entry.error(fmt::format("expected {}, found {}", expected, kind.str()));
}

std::vector<std::string> value_texts(const Entry& entry, const CLI::Option& option) {
  const toml::array* array = entry.value.as_array();
  if (array == nullptr || !is_list(option)) return {scalar_text(entry, entry.value, option)};
  std::vector<std::string> texts;
  for (const toml::node& value : *array) texts.push_back(scalar_text(entry, value, option));
  return texts;
}

/// Converts and checks now, while file and line are known. Options given on the command line keep
/// their values.
std::vector<std::string> apply(const Entry& entry, CLI::Option& option) {
  std::vector<std::string> texts = value_texts(entry, option);
  if (texts.empty()) return texts;  // an empty list is the initial value of every list
  const std::vector<std::string> given = option.results();
  option.clear();
  for (const std::string& text : texts) option.add_result(text);
  try {
    convert(option);
  } catch (const InputError& error) {
    std::string message = error.what();
    const std::string prefix = shown_name(option) + ": ";
    if (message.rfind(prefix, 0) == 0) message.erase(0, prefix.size());
    throw entry.error(message);
  }
  option.clear();
  for (const std::string& text : given) option.add_result(text);
  option.required(false);
  return texts;
}

/// Options that have no meaning inside a config file.
bool belongs_in_file(const CLI::Option& option) {
  const std::string name = shown_name(option);
  return name.rfind("--help", 0) != 0 && name != "--config" && name != "--print-config";
}

/// The key of an option: its long name, or a positional's name in lower case.
std::string key_of(const CLI::Option& option) {
  if (!option.get_lnames().empty()) return option.get_lnames().front();
  return CLI::detail::to_lower(option.get_name());
}

std::map<std::string, CLI::Option*> options_by_key(CLI::App& command) {
  std::map<std::string, CLI::Option*> by_key;
  for (CLI::Option* option : command.get_options()) {
    if (belongs_in_file(*option)) by_key[key_of(*option)] = option;
  }
  return by_key;
}

std::string toml_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7f) {
      quoted += fmt::format("\\u{:04X}", byte);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

std::string toml_scalar(const CLI::Option& option, const std::string& text) {
  if (is_flag(option)) return text == "true" || text == "1" ? "true" : "false";
  if (!is_integer(option) && !is_real(option)) return toml_text(text);
  // ".5", "1." and "+1" are numbers on the command line but not in TOML.
  if (is_real(option)) return fmt::format("{}", parse_real(text).value_or(0));
  return fmt::format("{}", parse_integer(text).value_or(0));
}

std::string toml_list(const CLI::Option& option, const std::vector<std::string>& texts) {
  std::vector<std::string> values;
  for (const std::string& text : texts) values.push_back(toml_scalar(option, text));
  return fmt::format("[{}]", fmt::join(values, ", "));
}

bool names_path(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.rfind("FILE", 0) == 0 || type == "FOLDER" || type == "DIR";
}

/// The last component of a path, also with a trailing slash.
std::string name_of_path(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return std::filesystem::path(path).filename().string();
}

/// TOML is UTF-8, and a name of a file need not be: in a record its other bytes become U+FFFD.
/// @throws InputError where such a text would name another file
std::string toml_utf8(const CLI::Option& option, const std::string& text, PathText paths) {
  const auto offset = text::find_invalid_utf8(text);
  if (!offset) return text;
  if (paths == PathText::kAsGiven)
    throw InputError(fmt::format("{}: expected UTF-8, which TOML is, byte {} is not",
                                 shown_name(option), *offset));
  text::Utf8Stream stream;
  return stream.push(text) + stream.flush();
}

/// The value as TOML; nothing for an empty text.
std::string resolved_value(const CLI::Option& option, const ConfigValues& configured,
                           PathText paths) {
  std::vector<std::string> texts = option.results();
  const auto found = configured.find(&option);
  if (texts.empty() && found != configured.end()) texts = found->second;
  if (texts.empty() && !is_list(option) && !option.get_default_str().empty())
    texts = {option.get_default_str()};
  if (paths == PathText::kByName && names_path(option))
    std::transform(texts.begin(), texts.end(), texts.begin(), name_of_path);
  for (std::string& text : texts) text = toml_utf8(option, text, paths);
  if (is_list(option)) return toml_list(option, texts);
  if (texts.empty()) return is_flag(option) ? toml_scalar(option, "") : "";
  return toml_scalar(option, texts.front());
}

/// The names that commands have now.
std::vector<std::string> commands_of(const TableNames& tables) {
  std::vector<std::string> commands;
  for (const auto& [name, command] : tables)
    if (name == command) commands.push_back(command);
  return commands;
}

}  // namespace

ConfigValues apply_config(CLI::App& command, const std::filesystem::path& file,
                          const TableNames& tables) {
  const toml::table root = parse(read_text_file(file, kMaxConfigBytes), file);
  const toml::table* table = nullptr;
  for (const auto& [key, node] : root) {
    const std::string name(key.str());
    const auto known = tables.find(name);
    if (known == tables.end() || !node.is_table()) {
      const std::vector<std::string> commands = commands_of(tables);
      throw Entry{file, name, node}.error(
          fmt::format("expected a table named as a command ({}){}", fmt::join(commands, ", "),
                      node.is_table() ? did_you_mean(name, commands) : ""));
    }
    if (known->second != command.get_name()) continue;
    if (table != nullptr)
      throw Entry{file, name, node}.error(
          fmt::format("is a second table of `{}`; keep one", command.get_name()));
    table = node.as_table();
  }
  if (table == nullptr) {
    throw InputError(fmt::format("{}: has no table [{}]", file.string(), command.get_name()));
  }

  std::map<std::string, CLI::Option*> by_key = options_by_key(command);
  ConfigValues configured;
  for (const auto& [name, node] : *table) {
    const std::string key(name.str());
    const Entry entry{file, key, node};
    const auto found = by_key.find(key);
    if (found == by_key.end()) {
      std::vector<std::string> known;
      for (const auto& [known_key, option] : by_key) known.push_back(known_key);
      throw entry.error("unknown key" + did_you_mean(key, known));
    }
    configured[found->second] = apply(entry, *found->second);
  }
  return configured;
}

void apply_earlier(CLI::App& command, const std::string& text, ConfigValues& configured) {
  const std::filesystem::path name = "the options of an earlier run";
  const toml::table root = parse(text, name);
  const toml::table* const table = root.get_as<toml::table>(command.get_name());
  if (table == nullptr) return;
  std::map<std::string, CLI::Option*> by_key = options_by_key(command);
  for (const auto& [key, node] : *table) {
    const std::string option(key.str());
    const auto found = by_key.find(option);
    if (found == by_key.end() || found->second->count() > 0 || names_path(*found->second) ||
        configured.contains(found->second))
      continue;
    configured[found->second] = apply({name, option, node}, *found->second);
  }
}

std::string config_text(const CLI::App& command, const HelpNotes& notes,
                        const ConfigValues& configured, PathText paths) {
  std::string text = fmt::format("[{}]\n", command.get_name());
  for (const CLI::Option* option : command.get_options()) {
    if (!belongs_in_file(*option)) continue;
    const std::string value = resolved_value(*option, configured, paths);
    const auto note = notes.options.find(option);
    const bool is_open =
        note != notes.options.end() && note->second.said != nullptr && !*note->second.said;
    text += fmt::format("{}{} ={}{}\n", value.empty() || is_open ? "# " : "", key_of(*option),
                        value.empty() ? "" : " ", value);
  }
  return text;
}

std::string without(const std::string& text, const std::vector<std::string>& keys) {
  std::istringstream lines(text);
  std::string kept;
  for (std::string line; std::getline(lines, line);) {
    const auto is_value_of = [&](const std::string& key) { return line.starts_with(key + " = "); };
    if (std::none_of(keys.begin(), keys.end(), is_value_of)) kept += line + "\n";
  }
  return kept;
}

}  // namespace outrider::cli
