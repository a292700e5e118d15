#include "runtime/cost/cost_cache.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "runtime/base/atomic_file.h"
#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "runtime/base/json_text.h"
#include "runtime/base/text_file.h"
#include "runtime/model/json_object.h"
#include "runtime/model/strict_json.h"

namespace outrider::cost {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostBytes = 1 << 20;
constexpr int kMostCount = 1 << 20;                 // of rows, tokens, threads
constexpr double kShortest = 1e-9, kLongest = 1e6;  // seconds

Json json_of(const CostKey& key) {
  return {{"machine", key.machine}, {"numerics", key.numerics}, {"isa", key.isa},
          {"threads", key.threads}, {"target", key.target},     {"draft", key.draft},
          {"program", key.program}};
}

std::string valid_text(const Json& json, int indent = -1) { return json_text(json, indent); }

std::filesystem::path path_of(const std::filesystem::path& folder, const CostKey& key) {
  Hasher hasher;
  hasher.add_text(text_of(key));
  return folder / fmt::format("{}-{}.json", key.draft.empty() ? "passes" : "steps", hasher.hex());
}

/// Calls `read` for every entry of a key's file. @return false for a file that is not as it was written
template <typename Read>
bool read_entries(const std::filesystem::path& folder, const CostKey& key, const Read& read) {
  if (folder.empty()) return false;
  const std::filesystem::path path = path_of(folder, key);
  try {
    const Json file = model::parse_strict_json(read_text_file(path, kMostBytes), path.string());
    const model::JsonObject object(file, path.string());
    if (valid_text(object.required("key")) != text_of(key)) return false;
    const Json& entries = object.required("costs");
    if (!entries.is_array()) return false;
    for (const Json& entry : entries) read(model::JsonObject(entry, path.string()));
    return true;
  } catch (const InputError&) {
    return false;
  }
}

bool write_entries(const std::filesystem::path& folder, const CostKey& key, const Json& entries) {
  if (folder.empty()) return false;
  std::error_code ignored;  // the file cannot be written then
  std::filesystem::create_directories(folder, ignored);
  try {
    write_file_atomically(path_of(folder, key),
                          valid_text({{"key", json_of(key)}, {"costs", entries}}, 1) + "\n");
    return true;
  } catch (const InputError&) {
    return false;
  }
}

int count_of(const model::JsonObject& entry, const char* name, int least) {
  return static_cast<int>(entry.required_integer(name, least, kMostCount));
}

double seconds_of(const model::JsonObject& entry, const char* name) {
  const auto seconds = entry.number(name, kShortest, kLongest);
  if (!seconds) entry.fail(name, "missing", "seconds");
  return *seconds;
}

bool has(const std::vector<TimedPass>& passes, Shape shape, int most_rows) {
  return std::any_of(passes.begin(), passes.end(), [&](const TimedPass& pass) {
    return pass.point.shape == shape && pass.point.rows <= most_rows;
  });
}

}  // namespace

std::string text_of(const CostKey& key) { return valid_text(json_of(key)); }

std::optional<std::vector<TimedPass>> CostCache::read_passes(const CostKey& key) const {
  std::vector<TimedPass> passes;
  const bool read = read_entries(folder_, key, [&](const model::JsonObject& entry) {
    const Shape shape = entry.flag("tree").value_or(false) ? Shape::kTree : Shape::kChain;
    passes.push_back({{shape, count_of(entry, "rows", 1), count_of(entry, "context", 0)},
                      seconds_of(entry, "seconds")});
  });
  if (!read || !has(passes, Shape::kChain, 1) || !has(passes, Shape::kTree, kMostCount))
    return std::nullopt;
  return passes;
}

std::optional<std::vector<TimedSteps>> CostCache::read_steps(const CostKey& key) const {
  std::vector<TimedSteps> steps;
  const bool read = read_entries(folder_, key, [&](const model::JsonObject& entry) {
    steps.push_back({count_of(entry, "threads", 1), seconds_of(entry, "draft_seconds"),
                     seconds_of(entry, "target_seconds")});
  });
  if (!read || steps.empty()) return std::nullopt;
  return steps;
}

bool CostCache::write_passes(const CostKey& key, const std::vector<TimedPass>& passes) const {
  Json entries = Json::array();
  for (const TimedPass& pass : passes)
    entries.push_back({{"tree", pass.point.shape == Shape::kTree},
                       {"rows", pass.point.rows},
                       {"context", pass.point.context},
                       {"seconds", pass.seconds}});
  return write_entries(folder_, key, entries);
}

bool CostCache::write_steps(const CostKey& key, const std::vector<TimedSteps>& steps) const {
  Json entries = Json::array();
  for (const TimedSteps& one : steps)
    entries.push_back({{"threads", one.threads},
                       {"draft_seconds", one.draft_seconds},
                       {"target_seconds", one.target_seconds}});
  return write_entries(folder_, key, entries);
}

}  // namespace outrider::cost
