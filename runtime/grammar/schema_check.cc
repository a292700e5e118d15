#include "runtime/grammar/schema_check.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>

#include "runtime/base/error.h"
#include "runtime/tokenizer/utf8.h"

namespace outrider::grammar {
namespace {

using nlohmann::json;

constexpr std::size_t kMostBytes = 1 << 18;
constexpr int kMostDepth = 64;

/// Says nothing about the value.
constexpr std::array kNotes = {"$schema",     "$id",        "$comment",    "$defs",
                               "definitions", "title",      "description", "default",
                               "examples",    "deprecated", "readOnly",    "writeOnly"};
/// Each says all that a schema says, but for notes.
constexpr std::array kWhole = {"$ref", "const", "enum", "anyOf", "oneOf", "allOf"};
/// Of a type.
constexpr std::array kOfTypes = {"type",
                                 "minLength",
                                 "maxLength",
                                 "pattern",
                                 "format",
                                 "minimum",
                                 "maximum",
                                 "exclusiveMinimum",
                                 "exclusiveMaximum",
                                 "multipleOf",
                                 "items",
                                 "prefixItems",
                                 "minItems",
                                 "maxItems",
                                 "unevaluatedItems",
                                 "properties",
                                 "required",
                                 "additionalProperties",
                                 "patternProperties",
                                 "propertyNames",
                                 "minProperties",
                                 "maxProperties",
                                 "unevaluatedProperties"};
/// What makes clear which type is meant where none is named.
constexpr std::array kMakeObjects = {"properties", "additionalProperties", "unevaluatedProperties"};
constexpr std::array kMakeArrays = {"items", "prefixItems", "unevaluatedItems"};
/// The formats of strings that are ensured.
constexpr std::array kFormats = {"email",         "date",
                                 "time",          "date-time",
                                 "duration",      "ipv4",
                                 "ipv6",          "hostname",
                                 "uuid",          "uri",
                                 "uri-reference", "uri-template",
                                 "json-pointer",  "relative-json-pointer"};

/// How patterns write a backslash or a quote.
constexpr std::array kEscaped = {R"(\\)",     R"(\x22)",   R"(\x5c)",  R"(\u0022)",
                                 R"(\u005c)", R"(\u{22})", R"(\u{5c})"};

template <typename Names>
bool is_among(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_any(const json& schema, const auto& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const char* name) { return schema.contains(name); });
}

[[noreturn]] void fail(const std::string& place, const std::string& what) {
  throw InputError(fmt::format("the JSON schema{}: {}", place.empty() ? "" : ", " + place, what));
}

/// Whether a value is of a type of JSON Schema.
bool is_of_type(const json& value, const std::string& type) {
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "array") return value.is_array();
  return type == "object" && value.is_object();
}

bool is_of_any_type(const json& value, const json& types) {
  if (types.is_string()) return is_of_type(value, types.get<std::string>());
  return types.is_array() && std::any_of(types.begin(), types.end(), [&](const json& type) {
           return type.is_string() && is_of_type(value, type.get<std::string>());
         });
}

/// Whether a type, or one of several, is this one.
bool names_type(const json& types, const char* name) {
  return types == name ||
         (types.is_array() && std::find(types.begin(), types.end(), name) != types.end());
}

/// Whether a regular expression has a quote or a backslash of its own, which JSON would have to escape.
bool needs_escapes(std::string pattern) {
  for (char& c : pattern)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return pattern.find('"') != std::string::npos ||
         std::any_of(std::begin(kEscaped), std::end(kEscaped), [&](const char* written) {
           return pattern.find(written) != std::string::npos;
         });
}

class Check {
 public:
  void schema(const json& one, const std::string& place) {
    if (one.is_boolean()) return;
    if (!one.is_object()) fail(place, fmt::format("expected an object, found {:.40}", one.dump()));
    const std::string whole = way_of(one, place);
    for (const auto& [key, value] : one.items()) {
      if (is_among(kNotes, key) || key == whole) continue;
      const bool is_known = is_among(kOfTypes, key);
      if (is_known && whole.empty()) continue;
      if (key == "type" && (whole == "const" || whole == "enum")) continue;
      fail(place, is_known || is_among(kWhole, key)
                      ? fmt::format("\"{}\" beside \"{}\" is not supported", key, whole)
                      : fmt::format("\"{:.40}\" is not supported", key));
    }
    types(one, whole, place);
    names(one, place);
    inner(one, place);
  }

 private:
  /// The keyword that says all; empty where there is none.
  static std::string way_of(const json& one, const std::string& place) {
    for (const char* way : kWhole) {
      if (!one.contains(way)) continue;
      if (std::string_view(way) == "allOf" && (!one[way].is_array() || one[way].size() != 1))
        fail(place, "\"allOf\" of several schemas is not supported");
      return way;
    }
    if (has_any(one, kOfTypes) && !one.contains("type") && !has_any(one, kMakeObjects) &&
        !has_any(one, kMakeArrays))
      fail(place, "expected \"type\" beside what is said of the value");
    return "";
  }

  static void types(const json& one, const std::string& whole, const std::string& place) {
    if (const auto type = one.find("type"); type != one.end()) {
      const json values = whole == "enum"    ? one["enum"]
                          : whole == "const" ? json::array({one["const"]})
                                             : json::array();
      for (const json& value : values)
        if (!is_of_any_type(value, *type))
          fail(place, fmt::format("{:.40} is not of \"type\" {:.40}", value.dump(), type->dump()));
    }
    const bool is_list = one.contains("type") && names_type(one["type"], "array");
    if (is_list && whole.empty() && !has_any(one, kMakeArrays))
      fail(place, "an array needs \"items\", which say what is in it");
    if (const auto format = one.find("format");
        format != one.end() &&
        !(format->is_string() && is_among(kFormats, format->get<std::string>())))
      fail(place, fmt::format("\"format\" {:.40} is not supported", format->dump()));
    const auto required = one.find("required");
    if (required == one.end() || !required->is_array()) return;
    const auto properties = one.find("properties");
    for (const json& name : *required)
      if (!name.is_string() || properties == one.end() || !properties->is_object() ||
          !properties->contains(name.get<std::string>()))
        fail(place, fmt::format("{:.40} is required, and not among \"properties\"", name.dump()));
  }

  /// What is said of the names of an object's members, which is ensured only of those that nothing else is said of.
  static void names(const json& one, const std::string& place) {
    const auto patterns = one.find("patternProperties");
    if (patterns != one.end()) {
      for (const char* other : {"properties", "additionalProperties", "unevaluatedProperties"})
        if (const auto it = one.find(other); it != one.end() && *it != false)
          fail(place, fmt::format("\"{}\" beside \"patternProperties\" is not supported", other));
      if (patterns->size() > 1) fail(place, "several \"patternProperties\" are not supported");
      if (patterns->is_object())
        for (const auto& [pattern, value] : patterns->items()) check_pattern(pattern, place);
    }
    if (one.contains("propertyNames") && (one.contains("properties") || patterns != one.end()))
      fail(place, "\"propertyNames\" beside other names is not supported");
    if (const auto pattern = one.find("pattern"); pattern != one.end() && pattern->is_string())
      check_pattern(pattern->get<std::string>(), place);
  }

  static void check_pattern(const std::string& pattern, const std::string& place) {
    if (needs_escapes(pattern))
      fail(place,
           fmt::format(
               "a pattern with a quote or a backslash of its own is not supported, found {:.60}",
               json(pattern).dump()));
  }

  void inner(const json& one, const std::string& place) {
    for (const char* key : {"properties", "patternProperties", "$defs", "definitions"}) {
      const auto inside = one.find(key);
      if (inside == one.end()) continue;
      if (!inside->is_object()) fail(place, fmt::format("\"{}\": expected an object", key));
      for (const auto& [name, value] : inside->items()) schema(value, below(place, key, name));
    }
    for (const char* key : {"anyOf", "oneOf", "allOf", "prefixItems"}) {
      const auto inside = one.find(key);
      if (inside == one.end()) continue;
      if (!inside->is_array() || inside->empty())
        fail(place, fmt::format("\"{}\": expected a list of schemas", key));
      for (std::size_t i = 0; i < inside->size(); ++i)
        schema((*inside)[i], below(place, key, std::to_string(i)));
    }
    for (const char* key : {"items", "additionalProperties", "propertyNames", "unevaluatedItems",
                            "unevaluatedProperties"})
      if (const auto inside = one.find(key); inside != one.end())
        schema(*inside, below(place, key, ""));
  }

  static std::string below(const std::string& place, const char* key, const std::string& name) {
    return fmt::format("{}/{}{}{:.60}", place, key, name.empty() ? "" : "/", name);
  }
};

}  // namespace

void check_schema(std::string_view schema) {
  if (schema.size() > kMostBytes)
    throw InputError(fmt::format("the JSON schema has {} bytes, expected at most {}", schema.size(),
                                 kMostBytes));
  if (const auto offset = text::find_invalid_utf8(schema))
    throw InputError(fmt::format("the JSON schema is not UTF-8 from byte {} on", *offset));
  const auto limit_depth = [](int depth, json::parse_event_t, json&) {
    if (depth > kMostDepth)
      throw InputError(fmt::format("the JSON schema is nested deeper than {} levels", kMostDepth));
    return true;
  };
  json parsed;
  try {
    parsed = json::parse(schema, limit_depth);
  } catch (const json::parse_error& error) {
    throw InputError(fmt::format("the JSON schema is not JSON from byte {} on", error.byte));
  } catch (const json::out_of_range&) {
    throw InputError("the JSON schema has a number that is too large");
  }
  Check().schema(parsed, "");
}

}  // namespace outrider::grammar
