#include "runtime/cli/command_options.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <utility>

#include "runtime/base/error.h"

namespace outrider::cli {

namespace {

/// Refuses an empty text. @param name  of the value: "FILE"
Check not_empty(const std::string& name) {
  return [name](const std::string& value) -> std::string {
    if (!value.empty()) return "";
    if (name == "DIR" || name == "FOLDER") return "expected a folder, found an empty name";
    if (name == "PATH") return "expected a file or a folder, found an empty name";
    if (name.rfind("FILE", 0) == 0) return "expected a file, found an empty name";
    return fmt::format("expected {}, found ''", name);
  };
}

/// Every positional names a file or a folder, which cannot be empty.
Option refuse_empty_positional(Option option, const std::string& flags) {
  return flags.front() == '-' ? option : option.check(not_empty(flags));
}

}  // namespace

Option& Option::type_name(const std::string& name) {
  option_->type_name(name);
  return check(not_empty(name));
}

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::check(const Check& check) {
  option_->check(CLI::Validator(check, ""));
  return *this;
}

Option& Option::tells(bool& is_said) {
  notes_.options[option_].said = &is_said;
  return check([&is_said](const std::string&) {
    is_said = true;
    return std::string();
  });
}

Option& Option::rare() {
  notes_.options[option_].rare = true;
  return *this;
}

std::string Option::name() const {
  return option_->get_lnames().empty() ? option_->get_name() : "--" + option_->get_lnames().front();
}

Option& Option::reads(FileRole::Inputs inputs) {
  roles_.push_back({name(), FileRole::Use::kRead, texts_, std::move(inputs)});
  return *this;
}

Option& Option::writes(FileRole::Outputs outputs) {
  roles_.push_back({name(), FileRole::Use::kWrite, texts_, {}, std::move(outputs)});
  return *this;
}

Option& Option::updates(FileRole::Outputs outputs) {
  roles_.push_back({name(), FileRole::Use::kUpdate, texts_, {}, std::move(outputs)});
  return *this;
}

Option& Option::brief(const std::string& text) {
  notes_.options[option_].brief = text;
  return *this;
}

CommandOptions::CommandOptions(CLI::App& program, const std::string& name,
                               const std::string& description)
    : app_(program.add_subcommand(name, description)),
      rules_(std::make_shared<std::vector<Rule>>()),
      notes_(std::make_shared<HelpNotes>()),
      roles_(std::make_shared<FileRoles>()) {
  app_->option_defaults()->always_capture_default();
}

Option CommandOptions::add_option(const std::string& flags, std::string& value,
                                  const std::string& description) {
  const auto texts = [&value] { return std::vector<std::string>{value}; };
  return refuse_empty_positional(
      Option(app_->add_option(flags, value, description), *notes_, *roles_, texts), flags);
}

Option CommandOptions::add_option(const std::string& flags, int& value,
                                  const std::string& description) {
  return Option(app_->add_option(flags, value, description), *notes_, *roles_);
}

Option CommandOptions::add_option(const std::string& flags, std::int64_t& value,
                                  const std::string& description) {
  return Option(app_->add_option(flags, value, description), *notes_, *roles_);
}

Option CommandOptions::add_option(const std::string& flags, std::uint64_t& value,
                                  const std::string& description) {
  return Option(app_->add_option(flags, value, description), *notes_, *roles_);
}

Option CommandOptions::add_option(const std::string& flags, float& value,
                                  const std::string& description) {
  return Option(app_->add_option(flags, value, description), *notes_, *roles_);
}

Option CommandOptions::add_option(const std::string& flags, double& value,
                                  const std::string& description) {
  return Option(app_->add_option(flags, value, description), *notes_, *roles_);
}

Option CommandOptions::add_option(const std::string& flags, std::optional<int>& value,
                                  const std::string& description) {
  return Option(app_->add_option(flags, value, description), *notes_, *roles_);
}

Option CommandOptions::add_option(const std::string& flags, std::optional<double>& value,
                                  const std::string& description) {
  return Option(app_->add_option(flags, value, description), *notes_, *roles_);
}

Option CommandOptions::add_option(const std::string& flags, std::optional<std::string>& value,
                                  const std::string& description) {
  const auto take = [&value](const CLI::results_t& results) {
    value = results.front();
    return true;
  };
  const auto texts = [&value] {
    return value ? std::vector<std::string>{*value} : std::vector<std::string>();
  };
  return Option(app_->add_option(flags, take, description)->type_name("TEXT"), *notes_, *roles_,
                texts);
}

Option CommandOptions::add_list(const std::string& flags, std::vector<std::string>& values,
                                const std::string& description) {
  const auto take = [&values](const CLI::results_t& results) {
    values = results;
    return true;
  };
  return refuse_empty_positional(Option(app_->add_option(flags, take, description)
                                            ->type_name("TEXT")
                                            ->expected(1, CLI::detail::expected_max_vector_size)
                                            ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll),
                                        *notes_, *roles_, [&values] { return values; }),
                                 flags);
}

Option CommandOptions::add_flag(const std::string& flags, bool& value,
                                const std::string& description) {
  return Option(app_->add_flag(flags, value, description), *notes_, *roles_);
}

void CommandOptions::group(const std::string& heading) { app_->option_defaults()->group(heading); }

void CommandOptions::footer(const std::string& text) { app_->footer(text); }

void CommandOptions::help_of_method(std::function<std::string(const std::string&)> text) {
  notes_->method_text = std::move(text);
}

std::string CommandOptions::name() const { return app_->get_name(); }

std::set<std::string> CommandOptions::given() const {
  std::set<std::string> given;
  for (const CLI::Option* option : app_->get_options()) {
    if (option->count() > 0 && !option->get_lnames().empty())
      given.insert(option->get_lnames().front());
  }
  return given;
}

void CommandOptions::refuse_unless(const std::vector<std::string>& flags,
                                   std::function<bool()> has_effect, const std::string& why) {
  for (const std::string& flag : flags) (void)app_->get_option("--" + flag);  // throws for a typo
  rules_->push_back({flags, std::move(has_effect), why});
}

void CommandOptions::check_effects() const {
  const std::set<std::string> given = this->given();
  for (const Rule& rule : *rules_)
    for (const std::string& flag : rule.flags)
      if (given.count(flag) > 0 && !rule.has_effect())
        throw InputError(fmt::format("--{}: {}", flag, rule.why));
}

}  // namespace outrider::cli
