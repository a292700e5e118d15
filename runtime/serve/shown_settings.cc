#include "runtime/serve/shown_settings.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/methods/list.h"
#include "runtime/methods/setting.h"

namespace outrider::serve {
namespace {

using methods::Setting;

/// Collects the keys, in records, of settings that name files.
class FileKeys : public methods::SettingVisitor {
 public:
  void whole(const Setting&, methods::WholeRange, int&) override {}
  void whole(const Setting&, methods::WholeRange, std::optional<int>&) override {}
  void real(const Setting&, methods::RealRange, std::optional<double>&) override {}
  void flag(const Setting&, bool&) override {}
  void text(const Setting& setting, const std::vector<std::string>&, std::string&) override {
    add(setting);
  }
  void texts(const Setting& setting, std::vector<std::string>&) override { add(setting); }

  std::set<std::string> keys;

 private:
  void add(const Setting& setting) {
    if (setting.value_name != methods::kFileValue) return;
    std::string key = setting.name;
    std::replace(key.begin(), key.end(), '-', '_');
    keys.insert(key);
  }
};

/// Of all methods: the record of one may be that of another that it chose.
std::set<std::string> file_keys() {
  FileKeys visitor;
  for (const methods::NewMethod make : methods::all_methods()) make()->visit(visitor);
  return visitor.keys;
}

}  // namespace

nlohmann::ordered_json shown_settings(const methods::PreparedMethod& method) {
  static const std::set<std::string> hidden = file_keys();
  nlohmann::ordered_json record = method.record();
  for (const std::string& key : hidden) record.erase(key);
  return record;
}

}  // namespace outrider::serve
