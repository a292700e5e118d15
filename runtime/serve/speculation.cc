#include "runtime/serve/speculation.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "runtime/base/json_number.h"
#include "runtime/serve/api_error.h"

namespace outrider::serve {
namespace {

using methods::Setting;
using nlohmann::json;
using Json = nlohmann::ordered_json;

constexpr const char* kField = "speculation";

/// Gives settings the values that an object has for them.
class SettingReader : public methods::SettingVisitor {
 public:
  explicit SettingReader(const json& object) : object_(object) {}

  void whole(const Setting& setting, methods::WholeRange range, int& value) override {
    if (const json* given = find(setting)) value = read_whole(setting, range, *given);
  }
  void whole(const Setting& setting, methods::WholeRange range,
             std::optional<int>& value) override {
    if (const json* given = find(setting)) value = read_whole(setting, range, *given);
  }
  void real(const Setting& setting, methods::RealRange range,
            std::optional<double>& value) override {
    const json* given = find(setting);
    if (given == nullptr) return;
    const double number =
        given->is_number() ? given->get<double>() : std::numeric_limits<double>::quiet_NaN();
    if (!(number >= range.low && number <= range.high))
      fail(setting, fmt::format("a number from {} to {}", range.low, range.high), *given);
    value = number;
  }
  void flag(const Setting& setting, bool& value) override {
    const json* given = find(setting);
    if (given == nullptr) return;
    if (!given->is_boolean()) fail(setting, "true or false", *given);
    value = given->get<bool>();
  }
  void text(const Setting& setting, const std::vector<std::string>& names,
            std::string& value) override {
    const json* given = find(setting);
    if (given == nullptr) return;
    if (!given->is_string()) fail(setting, "a text", *given);
    const auto& found = given->get_ref<const std::string&>();
    if (!names.empty() && std::find(names.begin(), names.end(), found) == names.end())
      fail(setting, fmt::format("one of {}", fmt::join(names, ", ")), *given);
    value = found;
  }
  void texts(const Setting& setting, std::vector<std::string>& values) override {
    const json* given = find(setting);
    if (given == nullptr) return;
    if (!given->is_array() ||
        std::any_of(given->begin(), given->end(), [](const json& one) { return !one.is_string(); }))
      fail(setting, "a list of texts", *given);
    values = given->get<std::vector<std::string>>();
  }

  /// The names of the method's settings, and the keys that were read.
  std::vector<std::string> setting_names;
  std::vector<std::string> used;

 private:
  /// The value under the flag's name, or the name that records have for it.
  const json* find(const Setting& setting) {
    setting_names.push_back(setting.name);
    std::string key = setting.name;
    auto found = object_.find(key);
    if (found == object_.end()) {
      std::replace(key.begin(), key.end(), '-', '_');
      found = object_.find(key);
    }
    if (found == object_.end()) return nullptr;
    used.push_back(key);
    if (setting.value_name == methods::kFileValue)
      throw ApiError(400,
                     fmt::format("{}: {} names files of the server's machine: only the flag --{} "
                                 "of runtime serve sets it",
                                 kField, setting.name, setting.name),
                     fmt::format("{}.{}", kField, key));
    return &*found;
  }
  static int read_whole(const Setting& setting, methods::WholeRange range, const json& given) {
    const auto number = whole_number(given);
    if (!number || *number < range.low || *number > range.high)
      fail(setting, fmt::format("a whole number from {} to {}", range.low, range.high), given);
    return static_cast<int>(*number);
  }
  [[noreturn]] static void fail(const Setting& setting, const std::string& expected,
                                const json& given) {
    RequestFields::fail(fmt::format("{}.{}", kField, setting.name), expected, given);
  }

  const json& object_;
};

/// Describes settings and their values.
class SettingLister : public methods::SettingVisitor {
 public:
  void whole(const Setting& setting, methods::WholeRange range, int& value) override {
    add(setting, "whole", value, {{"low", range.low}, {"high", range.high}});
  }
  void whole(const Setting& setting, methods::WholeRange range,
             std::optional<int>& value) override {
    add(setting, "whole", value ? Json(*value) : Json(),
        {{"low", range.low}, {"high", range.high}});
  }
  void real(const Setting& setting, methods::RealRange range,
            std::optional<double>& value) override {
    add(setting, "real", value ? Json(*value) : Json(), {{"low", range.low}, {"high", range.high}});
  }
  void flag(const Setting& setting, bool& value) override { add(setting, "flag", value, {}); }
  void text(const Setting& setting, const std::vector<std::string>& names,
            std::string& value) override {
    Json more = Json::object();
    if (!names.empty()) more["values"] = names;
    add(setting, "text", value.empty() ? Json() : Json(value), more);
  }
  void texts(const Setting& setting, std::vector<std::string>& values) override {
    add(setting, "texts", values, {});
  }

  Json settings = Json::array();

 private:
  /// Files are the server's own business: neither their names nor a way to set them leave it.
  void add(const Setting& setting, const char* type, const Json& value, const Json& more) {
    if (setting.value_name == methods::kFileValue) return;
    Json one = {{"name", setting.name}, {"help", setting.help}, {"type", type}, {"default", value}};
    if (!setting.method_help.empty()) one["method_help"] = setting.method_help;
    if (more.is_object()) one.update(more);
    settings.push_back(one);
  }
};

std::unique_ptr<methods::Method> method_named(const std::string& name, const char* field,
                                              const SpeculationRules& rules) {
  if (std::find(rules.names.begin(), rules.names.end(), name) == rules.names.end())
    throw ApiError(400,
                   fmt::format("{}: expected one of {}, found '{:.60}'", field,
                               fmt::join(rules.names, ", "), name),
                   field);
  return rules.new_method(name);
}

Speculation from_object(const json& object, const SpeculationRules& rules) {
  const auto name = object.find("method");
  Speculation result;
  if (const auto check = object.find("check"); check != object.end()) {
    if (!check->is_boolean()) RequestFields::fail("speculation.check", "true or false", *check);
    result.check = check->get<bool>();
  }
  const std::size_t others = object.size() - (name == object.end() ? 0 : 1) -
                             (object.find("check") == object.end() ? 0 : 1);
  if (name == object.end()) {
    if (others > 0)
      throw ApiError(400, "speculation: settings need \"method\", which they are of", kField);
    return result;
  }
  if (!name->is_string()) RequestFields::fail("speculation.method", "a text", *name);
  auto method = method_named(name->get<std::string>(), "speculation.method", rules);
  SettingReader reader(object);
  method->visit(reader);
  for (const auto& [key, value] : object.items()) {
    if (key == "method" || key == "check" ||
        std::find(reader.used.begin(), reader.used.end(), key) != reader.used.end())
      continue;
    throw ApiError(
        400,
        fmt::format("speculation.{:.60}: no setting of {}{}{}", key, method->name(),
                    reader.setting_names.empty() ? ", which has none" : "; expected one of ",
                    fmt::join(reader.setting_names, ", ")),
        fmt::format("{}.{:.60}", kField, key));
  }
  result.method = std::move(method);
  return result;
}

Speculation from_value(const json& value, const SpeculationRules& rules) {
  if (value.is_boolean()) {
    if (value.get<bool>()) return {};
    return {.method = rules.new_method("ar")};
  }
  if (value.is_object()) return from_object(value, rules);
  if (!value.is_string())
    RequestFields::fail(kField, "true, false, \"check\", a method's name, or an object", value);
  const auto& name = value.get_ref<const std::string&>();
  if (name == "check") return {.check = true};
  return {.method = method_named(name, kField, rules)};
}

}  // namespace

Speculation parse_speculation(RequestFields& fields, const SpeculationRules& rules,
                              double temperature) {
  Speculation result;
  const json* value = fields.find(kField);
  const auto speculative = fields.flag("speculative");
  if (value != nullptr)
    result = from_value(*value, rules);
  else if (speculative && !*speculative)
    result.method = rules.new_method("ar");
  if (result.method && result.method->capabilities().changes_text && temperature > 0 &&
      (!rules.allow_rejection || result.check))
    throw ApiError(400,
                   result.check ? "speculation: check compares with plain decoding, and with "
                                  "verify \"rejection\" the text depends on the drafts"
                                : "speculation: with verify \"rejection\" the text depends on the "
                                  "drafts, which only runtime serve --allow-rejection permits",
                   kField);
  return result;
}

Json methods_json(const SpeculationRules& rules) {
  Json all = Json::array();
  for (const std::string& name : rules.names) {
    const auto method = rules.new_method(name);
    SettingLister lister;
    method->visit(lister);
    all.push_back({{"name", name}, {"summary", method->summary()}, {"settings", lister.settings}});
  }
  return {{"object", "list"}, {"data", all}};
}

}  // namespace outrider::serve
