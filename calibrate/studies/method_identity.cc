#include "calibrate/studies/method_identity.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "runtime/artifacts/group_hash.h"
#include "runtime/base/file_hash.h"
#include "runtime/base/hash.h"
#include "runtime/base/json_text.h"
#include "runtime/methods/settings.h"

namespace outrider::calibrate {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kArtifacts = "artifacts";  // of which other targets' results do not matter

/// A file, or those in a folder, as a model is.
std::vector<fs::path> files_of(const fs::path& named) {
  if (fs::is_regular_file(named)) return {named};
  if (!fs::is_directory(named)) return {};
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(named))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// Adds the files that settings name, but for results of calibration: add_results has those of the target.
class AddFiles : public methods::SettingVisitor {
 public:
  using Setting = methods::Setting;
  explicit AddFiles(Hasher& hasher) : hasher_(hasher) {}

  void whole(const Setting&, methods::WholeRange, int&) override {}
  void whole(const Setting&, methods::WholeRange, std::optional<int>&) override {}
  void real(const Setting&, methods::RealRange, std::optional<double>&) override {}
  void flag(const Setting&, bool&) override {}
  void text(const Setting& setting, const std::vector<std::string>&, std::string& value) override {
    add(setting, value);
  }
  void texts(const Setting& setting, std::vector<std::string>& values) override {
    for (const std::string& value : values) add(setting, value);
  }

 private:
  void add(const Setting& setting, const std::string& value) {
    if (setting.value_name != methods::kFileValue || setting.name == kArtifacts) return;
    for (const fs::path& file : files_of(value)) hasher_.add_text(file_hash(file));
  }

  Hasher& hasher_;
};

void add_results(const artifacts::ArtifactSet& known, Hasher& hasher) {
  for (const std::string& group : known.groups()) {
    hasher.add_text(group);
    hasher.add_text(artifacts::group_hash(*known.with(group), group));
  }
}

}  // namespace

std::string method_identity(methods::Method& method, const inference::Target& target,
                            const artifacts::Folders& folders) {
  const Json settings = methods::settings_record(method);
  Hasher hasher;
  const engine::Engine& engine = target.engine();
  hasher.add_text(engine.place().name);
  hasher.add_text(engine.place().unit);
  hasher.add_number(static_cast<std::uint64_t>(engine.workers()));
  hasher.add_text(method.name());
  hasher.add_text(json_text(settings));
  AddFiles files(hasher);
  method.visit(files);
  const Json named = settings.value(kArtifacts, Json());
  add_results({artifacts::identity_of(target.model()),
               named.is_string() ? named.get<std::string>() : "", folders},
              hasher);
  return hasher.hex();
}

}  // namespace outrider::calibrate
