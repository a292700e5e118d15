#include "runtime/methods/trial_settings.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "runtime/base/error.h"

namespace outrider::methods {
namespace {

/// Visits the settings that may be without a value; the others are no trial's.
class OpenSettings : public SettingVisitor {
 public:
  void whole(const Setting&, WholeRange, int&) override {}
  void flag(const Setting&, bool&) override {}
  void texts(const Setting&, std::vector<std::string>&) override {}
};

class TrialGiver : public OpenSettings {
 public:
  using OpenSettings::whole;
  void whole(const Setting& setting, WholeRange, std::optional<int>& value) override {
    if (value) given[setting.name] = static_cast<double>(*value);
  }
  void real(const Setting& setting, RealRange, std::optional<double>& value) override {
    if (value) given[setting.name] = *value;
  }
  void text(const Setting& setting, const std::vector<std::string>&, std::string& value) override {
    if (!value.empty()) given[setting.name] = value;
  }

  cost::SettingValues given;
};

class TrialFiller : public OpenSettings {
 public:
  TrialFiller(const cost::SettingValues& values, const std::string& origin)
      : values_(values), origin_(origin) {}

  using OpenSettings::whole;
  void whole(const Setting& setting, WholeRange range, std::optional<int>& value) override {
    const double* const tried = value_of<double>(setting, "a whole number");
    if (tried == nullptr) return;
    check(setting, range.low, range.high, *tried);
    if (*tried != std::floor(*tried)) refuse(setting, "a whole number", *tried);
    if (!value) value = static_cast<int>(*tried);
  }
  void real(const Setting& setting, RealRange range, std::optional<double>& value) override {
    const double* const tried = value_of<double>(setting, "a number");
    if (tried == nullptr) return;
    check(setting, range.low, range.high, *tried);
    if (!value) value = *tried;
  }
  void text(const Setting& setting, const std::vector<std::string>& names,
            std::string& value) override {
    const std::string* const tried = value_of<std::string>(setting, "a text");
    if (tried == nullptr) return;
    if (!names.empty() && std::find(names.begin(), names.end(), *tried) == names.end())
      refuse(setting, "one of its names", *tried);
    if (value.empty()) value = *tried;
  }

 private:
  /// The value of the type, or none. @throws InputError for one of another type
  template <typename T>
  const T* value_of(const Setting& setting, const std::string& expected) const {
    const auto found = values_.find(setting.name);
    if (found == values_.end()) return nullptr;
    const T* const value = std::get_if<T>(&found->second);
    if (value == nullptr) refuse(setting, expected, "another value");
    return value;
  }
  void check(const Setting& setting, double low, double high, double value) const {
    if (!(value >= low && value <= high))
      refuse(setting, fmt::format("{:g} to {:g}", low, high), value);
  }
  template <typename Found>
  [[noreturn]] void refuse(const Setting& setting, const std::string& expected,
                           const Found& found) const {
    throw InputError(fmt::format("{}: settings/{}: expected {}, found {}", origin_, setting.name,
                                 expected, found));
  }

  const cost::SettingValues& values_;
  const std::string& origin_;
};

}  // namespace

cost::SettingValues given_of(Method& method, const std::vector<std::string>& names) {
  TrialGiver visitor;
  method.visit(visitor);
  std::erase_if(visitor.given, [&](const auto& one) {
    return std::find(names.begin(), names.end(), one.first) == names.end();
  });
  return std::move(visitor.given);
}

void fill_open(Method& method, const cost::SettingValues& values, const std::string& origin) {
  TrialFiller visitor(values, origin);
  method.visit(visitor);
}

}  // namespace outrider::methods
