#include "runtime/model/gguf/open_gguf.h"

#include <fmt/core.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "runtime/base/error.h"
#include "runtime/base/numbers.h"
#include "runtime/model/gguf/gguf_metadata.h"

namespace outrider::model {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCount = "split.count";
constexpr const char* kNumber = "split.no";
constexpr const char* kTensors = "split.tensors.count";
constexpr std::int64_t kMostParts = 512;  // each is open, and watched, for as long as the model

std::int64_t part_count(const GgufFile& file) {
  return GgufMetadata(file).integer(kCount, 0, kMostParts).value_or(1);
}

/// "-00002-of-00003.gguf", as the parts' names end; numbers count from 0.
std::string name_end(std::int64_t number, std::int64_t count) {
  return fmt::format("-{:05}-of-{:05}.gguf", number + 1, count);
}

/// The name of all parts before their numbers.
std::string name_before(const GgufFile& file, const fs::path& path, std::int64_t count) {
  const auto number = GgufMetadata(file).required_integer(kNumber, 0, count - 1);
  const std::string name = path.string();
  const std::string end = name_end(number, count);
  if (!name.ends_with(end))
    throw InputError(
        fmt::format("{}: is part {} of a model that is split over {} files; expected a name that "
                    "ends with {}, and the other parts beside it (or all merged into one file, by "
                    "`llama-gguf-split --merge`)",
                    name, number + 1, count, end));
  return name.substr(0, name.size() - end.size());
}

std::vector<fs::path> part_names(const std::string& before, std::int64_t count) {
  std::vector<fs::path> names;
  for (std::int64_t number = 0; number < count; ++number)
    names.emplace_back(before + name_end(number, count));
  return names;
}

void check_part(const GgufFile& part, std::int64_t number, std::int64_t count) {
  const GgufMetadata metadata(part);
  metadata.required_integer(kCount, count, count);
  metadata.required_integer(kNumber, number, number);
}

}  // namespace

std::vector<fs::path> gguf_parts(const fs::path& path) {
  const std::string name = path.string(), form = name_end(0, 1);
  if (name.size() < form.size()) return {path};
  const std::string before = name.substr(0, name.size() - form.size());
  const std::string end = name.substr(before.size());
  const auto number = parse_unsigned(std::string_view(end).substr(1, 5));
  const auto count = parse_unsigned(std::string_view(end).substr(10, 5));
  if (!number || !count || *number < 1 || *number > *count || *count > kMostParts ||
      end != name_end(static_cast<std::int64_t>(*number) - 1, static_cast<std::int64_t>(*count)))
    return {path};
  return part_names(before, static_cast<std::int64_t>(*count));
}

OpenedGguf open_gguf(const fs::path& path) {
  OpenedGguf opened;
  opened.parts.push_back(std::make_shared<MappedFile>(path));
  opened.file = GgufFile::parse(opened.parts.front()->bytes(), path.string());
  const std::int64_t count = part_count(opened.file);
  if (count <= 1) return opened;
  const std::string before = name_before(opened.file, path, count);
  opened.parts.clear();
  std::int64_t number = 0;
  for (const fs::path& name : part_names(before, count)) {
    if (!fs::exists(name))
      throw InputError(fmt::format(
          "{}: no such file; the model is split over {} files, and all of them are needed",
          name.string(), count));
    opened.parts.push_back(std::make_shared<MappedFile>(name));
    GgufFile part = GgufFile::parse(opened.parts.back()->bytes(), name.string());
    check_part(part, number, count);
    if (number == 0) {
      opened.file = std::move(part);
    } else {
      opened.file.add_part(part);
    }
    ++number;
  }
  const auto tensors = static_cast<std::int64_t>(opened.file.tensors().size());
  GgufMetadata(opened.file).integer(kTensors, tensors, tensors);
  return opened;
}

}  // namespace outrider::model
