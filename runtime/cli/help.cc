#include "runtime/cli/help.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <vector>

namespace outrider::cli {
namespace {

constexpr std::size_t kNameColumns = 28;  // of two columns

/// The words in lines, of which the first continues a line.
/// @param indent  of the others
/// @param end     of every line but the last
std::string in_lines(std::string_view text, std::size_t first, std::size_t indent,
                     const std::string& end = "") {
  std::istringstream words{std::string(text)};
  std::string lines;
  std::size_t column = first;
  bool is_first = true;
  for (std::string word; words >> word; is_first = false) {
    if (!is_first && column + 1 + word.size() + end.size() > kHelpColumns) {
      lines += end + "\n" + std::string(indent, ' ');
      column = indent;
    } else if (!is_first) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += word.size();
  }
  return lines;
}

/// A line that begins with spaces; a command that is too long goes on in the next.
std::string indented_line(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (line.size() <= kHelpColumns || begin == std::string::npos) return line + "\n";
  return std::string(begin, ' ') + in_lines(line.substr(begin), begin, begin + 4, " \\") + "\n";
}

std::string title_of(const CLI::App& command) {
  std::string usage =
      fmt::format("Usage: {} {} [OPTIONS]", command.get_parent()->get_name(), command.get_name());
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional()) usage += " " + option->get_name(true);
  return wrapped(command.get_description()) + usage + "\n";
}

/// The options of a group that `shown` has a text for.
template <typename Shown>
std::string group_text(const CLI::App& command, const std::string& group, const Shown& shown) {
  std::string text;
  for (const CLI::Option* option : command.get_options())
    if (option->get_group() == group && option->nonpositional()) text += shown(*option);
  return text.empty() ? "" : group + ":\n" + text;
}

template <typename Shown>
std::string all_options(const CLI::App& command, const Shown& shown) {
  std::string text;
  for (const CLI::Option* option : command.get_options())
    if (option->get_positional()) text += shown(*option);
  for (const std::string& group : command.get_groups())
    if (!group.empty()) text += group_text(command, group, shown);
  return text;
}

std::size_t line_count(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

/// The footer's examples, the first three, and what is before them if it is a line or two.
std::string short_footer(const std::string& footer) {
  constexpr int kMostExamples = 3;
  const std::string whole = wrapped(footer);
  const std::size_t begin = std::min(whole.find("Examples:\n"), whole.size());
  std::string text = whole.substr(0, begin);
  if (line_count(text) > 3) text.clear();
  int examples = 0;
  std::istringstream lines(whole.substr(begin));
  for (std::string line; std::getline(lines, line);) {
    examples += line.starts_with("  ") && line[2] != ' ';
    if (examples <= kMostExamples) text += line + "\n";
  }
  return text;
}

/// The options that most people set.
class UsualOptions {
 public:
  UsualOptions(const CLI::App& command, const HelpNotes& notes) : command_(command), notes_(notes) {
    for (const CLI::Option* option : command.get_options()) {
      const auto note = notes.options.find(option);
      const bool is_rare = note != notes.options.end() && note->second.rare;
      if (is_rare && !option->get_required())
        ++left_out_;
      else
        shown_.push_back(option);
    }
  }

  std::string text() const {
    return all_options(command_, [&](const CLI::Option& option) -> std::string {
      if (std::find(shown_.begin(), shown_.end(), &option) == shown_.end()) return "";
      const auto note = notes_.options.find(&option);
      const bool has_brief = note != notes_.options.end() && !note->second.brief.empty();
      return help_of_option(option, has_brief ? note->second.brief : option.get_description());
    });
  }

  std::string rest() const {
    return fmt::format("\n--help-all describes {} options more.\n", left_out_);
  }

  /// Leaves the last one out that can be. @return whether there was one
  bool leave_last_out() {
    const auto can_be = [&](const CLI::Option* option) {
      const std::string name = option->get_name();
      return !option->get_required() && name != "-h,--help" && name != "--config" &&
             name != "--help-method";
    };
    const auto last = std::find_if(shown_.rbegin(), shown_.rend(), can_be);
    if (last == shown_.rend()) return false;
    shown_.erase(std::next(last).base());
    ++left_out_;
    return true;
  }

 private:
  const CLI::App& command_;
  const HelpNotes& notes_;
  std::vector<const CLI::Option*> shown_;
  std::size_t left_out_ = 0;
};

}  // namespace

std::string help_of_option(const CLI::Option& option, const std::string& text) {
  const CLI::Formatter formatter;
  const bool is_positional = option.get_positional();
  const std::string name = "  " + formatter.make_option_name(&option, is_positional) +
                           formatter.make_option_opts(&option);
  std::string line = name;
  if (name.size() + 2 > kNameColumns)
    line += "\n" + std::string(kNameColumns, ' ');
  else
    line.resize(kNameColumns, ' ');
  return line + in_lines(text, kNameColumns, kNameColumns) + "\n";
}

std::string help_text(const CLI::App& command, const HelpNotes& notes, bool all) {
  const std::string title = title_of(command) + "\n";
  const std::string& footer = command.get_footer();
  std::string whole = title +
                      all_options(command,
                                  [](const CLI::Option& option) {
                                    return help_of_option(option, option.get_description());
                                  }) +
                      (footer.empty() ? "" : "\n" + wrapped(footer));
  if (all || line_count(whole) <= kHelpLines) return whole;
  UsualOptions usual(command, notes);
  const std::string ending = footer.empty() ? "" : "\n" + short_footer(footer);
  const auto page = [&] { return title + usual.text() + usual.rest() + ending; };
  while (line_count(page()) > kHelpLines && usual.leave_last_out()) {
  }
  return page();
}

std::string wrapped(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::string out, paragraph;
  const auto end_paragraph = [&] {
    if (!paragraph.empty()) out += in_lines(paragraph, 0, 0) + "\n";
    paragraph.clear();
  };
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && line.front() != ' ') {
      paragraph += line + ' ';
      continue;
    }
    end_paragraph();
    out += line.empty() ? "\n" : indented_line(line);
  }
  end_paragraph();
  return out;
}

}  // namespace outrider::cli
