#include "runtime/cli/method_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/cli/read_files.h"
#include "runtime/prompt_files/text_files.h"

namespace outrider::cli {
namespace {

/// The settings that the help shows where it does not show all, with their texts there.
const std::map<std::string, std::string> kUsual = {
    {"draft", "Draft model (default: the one trained for it)"},
    {"draft-length", "Most tokens of a draft (default: the fastest)"},
    {"reference", "Text files of yours that answers may repeat"},
    {"artifacts", "Results of calibration (default: the model's)"}};

/// What is read where a setting names files.
FileRole::Inputs inputs_of(const std::string& setting) {
  if (setting == "artifacts") return artifacts_at;
  return setting == "draft" ? drafter_at : text::text_files_at;
}

}  // namespace

/// Collects the settings of one method.
class FlagCollector : public methods::SettingVisitor {
 public:
  using Setting = methods::Setting;
  void whole(const Setting& setting, methods::WholeRange range, int& value) override {
    add(setting, value, whole_number(range.low, range.high));
  }
  void whole(const Setting& setting, methods::WholeRange range,
             std::optional<int>& value) override {
    add(setting, value, whole_number(range.low, range.high));
  }
  void real(const Setting& setting, methods::RealRange range,
            std::optional<double>& value) override {
    add(setting, value, real_number(range.low, range.high));
  }
  void flag(const Setting& setting, bool& value) override { add(setting, value, {}); }
  void text(const Setting& setting, const std::vector<std::string>& names,
            std::string& value) override {
    add(setting, value, names.empty() ? Check() : one_of(names));
  }
  void texts(const Setting& setting, std::vector<std::string>& values) override {
    add(setting, values, {});
  }

  std::vector<MethodFlags::Flag> found;

 private:
  void add(const Setting& setting, MethodFlags::Value value, Check check) {
    found.push_back({setting, std::move(value), std::move(check), {}});
  }
};

/// Copies the flags' values into the settings.
class FlagReader : public methods::SettingVisitor {
 public:
  explicit FlagReader(const MethodFlags& flags) : flags_(flags) {}

  using Setting = methods::Setting;
  void whole(const Setting& setting, methods::WholeRange, int& value) override {
    read(setting, value);
  }
  void whole(const Setting& setting, methods::WholeRange, std::optional<int>& value) override {
    read(setting, value);
  }
  void real(const Setting& setting, methods::RealRange, std::optional<double>& value) override {
    read(setting, value);
  }
  void flag(const Setting& setting, bool& value) override { read(setting, value); }
  void text(const Setting& setting, const std::vector<std::string>&, std::string& value) override {
    read(setting, value);
  }
  void texts(const Setting& setting, std::vector<std::string>& values) override {
    read(setting, values);
  }

 private:
  template <typename T>
  void read(const Setting& setting, T& value) const {
    value = std::get<T>(flags_.find(setting.name).value);
  }

  const MethodFlags& flags_;
};

MethodFlags::MethodFlags(std::string initial, const methods::MethodList& list)
    : method(std::move(initial)), list_(list) {
  for (const methods::NewMethod make : list_) {
    const std::unique_ptr<methods::Method> one = make();
    FlagCollector collector;
    one->visit(collector);
    // A new setting is inserted before the one that follows it in this method, otherwise after the
    // preceding ones.
    std::size_t next = flags_.size();
    for (const Flag& flag : collector.found)
      if (const std::size_t known = index_of(flag.setting.name); known < flags_.size())
        next = known + 1;
    for (auto found = collector.found.rbegin(); found != collector.found.rend(); ++found) {
      const std::string method_help = found->setting.method_help;
      const std::size_t known = index_of(found->setting.name);
      if (known == flags_.size()) {
        flags_.insert(flags_.begin() + static_cast<std::ptrdiff_t>(next),
                      std::make_unique<Flag>(std::move(*found)));
      } else if (flags_[known]->value == found->value) {
        next = known;
      } else {
        throw std::logic_error("method: its setting has another type or default than elsewhere: " +
                               found->setting.name);
      }
      flags_[next]->users.push_back(one->name());
      if (!method_help.empty()) flags_[next]->add(method_help, one->name());
    }
  }
}

void MethodFlags::declare_method(CommandOptions& command) {
  std::vector<std::string> lines;
  for (const methods::NewMethod make : list_) {
    const auto one = make();
    lines.push_back(fmt::format("{} ({})", one->name(), one->summary()));
  }
  const std::vector<std::string> names = methods::names_of(list_);
  command.add_option("--method", method, fmt::format("How to draft: {}", fmt::join(lines, ", ")))
      .check(one_of(names))
      .brief(fmt::format("How to draft: {}; --help-method describes each", fmt::join(names, ", ")));
  command.help_of_method(
      [this, app = &command.app()](const std::string& name) { return help_of(name, *app); });
}

std::string MethodFlags::help_of(const std::string& name, const CLI::App& command) const {
  const std::vector<std::string> names = methods::names_of(list_);
  if (const std::string mistake = one_of(names)(name); !mistake.empty())
    throw InputError("--help-method: " + mistake);
  const std::unique_ptr<methods::Method> one = methods::new_method(name, list_);
  FlagCollector collector;
  one->visit(collector);
  std::string text = wrapped(fmt::format("--method {}: {}", name, one->summary())) + "\n";
  for (const Flag& flag : collector.found) {
    const methods::Setting& setting = flag.setting;
    const CLI::Option* option = command.get_option_no_throw("--" + setting.name);
    if (option == nullptr) continue;  // the command has no use for it
    text += help_of_option(*option, setting.method_help.empty()
                                        ? setting.help
                                        : setting.help + "; here: " + setting.method_help);
  }
  return text;
}

void MethodFlags::declare_copying_method(CommandOptions& command) {
  command.add_option("--method", method, "How to draft; only methods that copy")
      .check(one_of(copying()));
  command.help_of_method(
      [this, app = &command.app()](const std::string& name) { return help_of(name, *app); });
}

void MethodFlags::declare_settings(CommandOptions& command, const std::set<std::string>& except) {
  for (const auto& flag : flags_)
    if (except.count(flag->setting.name) == 0) declare(command, *flag);
}

void MethodFlags::declare_setting(CommandOptions& command, const std::string& name) {
  declare(command, find(name));
}

std::unique_ptr<methods::Method> MethodFlags::chosen(const std::set<std::string>& given) const {
  for (const auto& flag : flags_) {
    if (given.count(flag->setting.name) > 0) check_user(flag->setting.name, flag->users);
  }
  std::unique_ptr<methods::Method> one = methods::new_method(method, list_);
  read(*one);
  return one;
}

void MethodFlags::read(methods::Method& one) const {
  FlagReader reader(*this);
  one.visit(reader);
}

void MethodFlags::check_copies(const std::set<std::string>& given,
                               const std::vector<std::string>& flags) const {
  for (const std::string& flag : flags)
    if (given.count(flag) > 0) check_user(flag, copying());
}

void MethodFlags::check_user(const std::string& flag, const std::vector<std::string>& users) const {
  if (std::find(users.begin(), users.end(), method) == users.end())
    throw InputError(fmt::format("--{}: not used by --method {}, only by {}", flag, method,
                                 fmt::join(users, ", ")));
}

std::size_t MethodFlags::index_of(const std::string& name) const {
  const auto found = std::find_if(flags_.begin(), flags_.end(),
                                  [&](const auto& flag) { return flag->setting.name == name; });
  return static_cast<std::size_t>(found - flags_.begin());
}

MethodFlags::Flag& MethodFlags::find(const std::string& name) const {
  const std::size_t index = index_of(name);
  if (index == flags_.size()) throw std::logic_error("method: no setting of this name: " + name);
  return *flags_[index];
}

void MethodFlags::Flag::add(const std::string& method_help, const std::string& user) {
  auto same = std::find_if(method_helps.begin(), method_helps.end(),
                           [&](const auto& known) { return known.first == method_help; });
  if (same == method_helps.end()) same = method_helps.insert(same, {method_help, {}});
  same->second.push_back(user);
}

void MethodFlags::declare(CommandOptions& command, Flag& flag) {
  constexpr std::size_t kMostNamed = 3;  // longer lists are cut short
  std::string help = flag.setting.help;
  if (flag.users.size() <= kMostNamed)
    help = fmt::format("{}: {}", fmt::join(flag.users, ", "), help);
  else
    help.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(help.front())));
  for (const auto& [method_help, methods] : flag.method_helps)
    help += fmt::format("; {}: {}", fmt::join(methods, ", "), method_help);
  const std::string name = "--" + flag.setting.name;
  if (bool* value = std::get_if<bool>(&flag.value)) {
    command.add_flag(name, *value, help).rare();
    return;
  }
  Option option = std::visit(
      [&](auto& value) -> Option {
        if constexpr (std::is_same_v<decltype(value), bool&>)
          throw std::logic_error("a flag has no value");
        else if constexpr (std::is_same_v<decltype(value), std::vector<std::string>&>)
          return command.add_list(name, value, help);
        else
          return command.add_option(name, value, help);
      },
      flag.value);
  if (!flag.setting.value_name.empty()) option.type_name(flag.setting.value_name);
  if (flag.setting.value_name == methods::kFileValue) option.reads(inputs_of(flag.setting.name));
  if (flag.check) option.check(flag.check);
  const auto usual = kUsual.find(flag.setting.name);
  if (usual == kUsual.end())
    option.rare();
  else
    option.brief(usual->second);
}

std::vector<std::string> MethodFlags::copying() const {
  return names_of(list_, &methods::Capabilities::copies);
}

}  // namespace outrider::cli
