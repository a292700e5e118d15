#include "runtime/model/strict_json.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/tokenizer/utf8.h"

namespace outrider::model {
namespace {

using nlohmann::json;

constexpr int kMostDepth = 16;

}  // namespace

json parse_strict_json(std::string_view text, const std::string& file) {
  if (const auto offset = text::find_invalid_utf8(text))
    throw InputError(fmt::format("{}: byte {} is not UTF-8", file, *offset));
  std::vector<std::set<std::string>> keys;  // of the open objects
  const auto check = [&](int depth, json::parse_event_t event, json& value) {
    if (depth > kMostDepth)
      throw InputError(fmt::format("{}: nested deeper than {} levels", file, kMostDepth));
    if (event == json::parse_event_t::object_start) {
      keys.emplace_back();
    } else if (event == json::parse_event_t::object_end) {
      keys.pop_back();
    } else if (event == json::parse_event_t::key &&
               !keys.back().insert(value.get<std::string>()).second) {
      throw InputError(fmt::format("{}: the key '{}' is duplicated in one object", file,
                                   value.get_ref<const std::string&>()));
    }
    return true;
  };
  try {
    return json::parse(text, check);
  } catch (const json::parse_error& error) {
    throw InputError(fmt::format("{}: not JSON, from byte {} on", file, error.byte));
  } catch (const json::out_of_range&) {
    throw InputError(fmt::format("{}: a number that is too large", file));
  }
}

}  // namespace outrider::model
