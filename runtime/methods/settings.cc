#include "runtime/methods/settings.h"

#include <algorithm>

namespace outrider::methods {
namespace {

using Json = nlohmann::ordered_json;

class Recorder : public SettingVisitor {
 public:
  void whole(const Setting& setting, WholeRange, int& value) override { add(setting, value); }
  void whole(const Setting& setting, WholeRange, std::optional<int>& value) override {
    add(setting, value ? Json(*value) : Json());
  }
  void real(const Setting& setting, RealRange, std::optional<double>& value) override {
    add(setting, value ? Json(*value) : Json());
  }
  void flag(const Setting& setting, bool& value) override { add(setting, value); }
  void text(const Setting& setting, const std::vector<std::string>&, std::string& value) override {
    add(setting, value.empty() ? Json() : Json(value));
  }
  void texts(const Setting& setting, std::vector<std::string>& values) override {
    add(setting, values);
  }

  Json record = Json::object();

 private:
  void add(const Setting& setting, const Json& value) {
    std::string key = setting.name;
    std::replace(key.begin(), key.end(), '-', '_');
    record[key] = value;
  }
};

class Filler : public SettingVisitor {
 public:
  Filler(const std::string& name, const SettingValue& value) : name_(name), value_(value) {}

  // These always have a value.
  void whole(const Setting&, WholeRange, int&) override {}
  void flag(const Setting&, bool&) override {}
  void whole(const Setting& setting, WholeRange, std::optional<int>& value) override {
    fill(setting, value);
  }
  void real(const Setting& setting, RealRange, std::optional<double>& value) override {
    fill(setting, value);
  }
  void text(const Setting& setting, const std::vector<std::string>&, std::string& value) override {
    const std::string* given = std::get_if<std::string>(&value_);
    if (setting.name != name_ || given == nullptr) return;
    found = true;
    if (value.empty()) value = *given;
  }
  void texts(const Setting& setting, std::vector<std::string>& values) override {
    const auto* given = std::get_if<std::vector<std::string>>(&value_);
    if (setting.name != name_ || given == nullptr) return;
    found = true;
    if (values.empty()) values = *given;
  }

  bool found = false;

 private:
  template <typename T>
  void fill(const Setting& setting, std::optional<T>& value) {
    const T* given = std::get_if<T>(&value_);
    if (setting.name != name_ || given == nullptr) return;
    found = true;
    if (!value) value = *given;
  }

  const std::string& name_;
  const SettingValue& value_;
};

}  // namespace

Json settings_record(Method& method) {
  Recorder visitor;
  method.visit(visitor);
  return visitor.record;
}

bool fill_in(Method& method, const std::string& name, const SettingValue& value) {
  Filler visitor(name, value);
  method.visit(visitor);
  return visitor.found;
}

}  // namespace outrider::methods
