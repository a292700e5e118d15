#include <fmt/core.h>

#include "runtime/base/error.h"
#include "runtime/base/json_text.h"
#include "train/checkpoints/checkpoint.h"

namespace outrider::train {
namespace {

std::string short_text(const nlohmann::json& json) {
  constexpr std::size_t kMost = 80;
  const std::string text = json_text(json);
  return text.size() <= kMost ? text : text.substr(0, kMost) + "…";
}

}  // namespace

void check_continues(const std::filesystem::path& path, const nlohmann::json& saved,
                     const nlohmann::json& now) {
  if (saved == now) return;
  const nlohmann::json first = nlohmann::json::diff(saved, now).front();
  const std::string changed = first.at("path").get<std::string>();
  const nlohmann::json::json_pointer pointer(changed);
  const auto at = [&](const nlohmann::json& json) {
    return json.contains(pointer) ? short_text(json.at(pointer)) : "absent";
  };
  throw InputError(fmt::format(
      "{}: {} was {} and is now {}; give what was given before to go on, or another --work to "
      "start anew",
      path.string(), changed.empty() ? "everything" : changed.substr(1), at(saved), at(now)));
}

}  // namespace outrider::train
