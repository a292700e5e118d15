#include "train/checkpoints/checkpoint.h"

#include <fmt/core.h>

#include <span>

#include "runtime/base/atomic_file.h"
#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "runtime/hdf5/checksum.h"
#include "runtime/hdf5/writer.h"
#include "train/checkpoints/checkpoint_head.h"

namespace outrider::train {
namespace {

constexpr const char* kFormat = "outrider training checkpoint 1";
constexpr std::size_t kMostText = 1 << 24;
constexpr std::size_t kMostParameters = 1 << 16;
constexpr std::int64_t kMostLength = std::int64_t{1} << 31;  // of a dimension
constexpr const char* kCure = "; remove it to start anew, or put back a copy of a checkpoint";

/// The arrays of a parameter, by the names that they have in the file.
std::vector<std::pair<const char*, const std::vector<float>*>> arrays(const SavedParameter& saved) {
  return {{"value", &saved.value},
          {"first", &saved.first},
          {"second", &saved.second},
          {"best", &saved.best}};
}

void add_floats(Hasher& hasher, const std::vector<float>& values) {
  hasher.add_number(values.size());
  hasher.add(std::as_bytes(std::span(values)));
}

std::string content_hash(const std::string& head, const Checkpoint& checkpoint) {
  Hasher hasher;
  hasher.add_text(head);
  for (const SavedParameter& saved : checkpoint.parameters)
    for (const auto& [name, values] : arrays(saved)) add_floats(hasher, *values);
  return hasher.hex();
}

std::string group_of(std::size_t parameter) { return fmt::format("/parameters/{:05}", parameter); }

/// @throws InputError unless the file has all datasets of a parameter in its shape
void read_parameter(const hdf5::Reader& file, const std::string& group, SavedParameter& saved) {
  hdf5::Dims dims;
  for (const std::int64_t length : saved.dims) {
    if (length < 0 || length > kMostLength) file.refuse("/head", "has a length out of range");
    dims.push_back(static_cast<std::uint64_t>(length));
  }
  saved.value = file.read<float>(group + "/value", dims);
  saved.first = file.read<float>(group + "/first", dims);
  saved.second = file.read<float>(group + "/second", dims);
  if (file.has(group + "/best")) saved.best = file.read<float>(group + "/best", dims);
}

Checkpoint parse_head_of(const hdf5::Reader& file, const std::string& head) {
  try {
    return parse_head(head);
  } catch (const nlohmann::json::exception& error) {
    file.refuse("/head", std::string("is not a checkpoint's: ") + error.what());
  } catch (const InputError& error) {
    file.refuse("/head", std::string("is not a checkpoint's: ") + error.what());
  }
}

/// The text of a checkpoint's head.
std::string read_head(const hdf5::Reader& file) {
  if (!file.has("/format")) file.refuse("/format", "is absent: not a training checkpoint");
  if (const std::string format = file.read_text("/format", kMostText); format != kFormat)
    file.refuse("/format", fmt::format("expected \"{}\", found \"{}\"", kFormat, format));
  return file.read_text("/head", kMostText);
}

/// Reads a file that begins with a checksum. @throws InputError naming it, and the cure
template <typename Read>
auto read_with_checksum(const std::filesystem::path& path, Read read) {
  try {
    if (hdf5::looks_like_hdf5(path) && !hdf5::has_checksum(path))
      throw InputError(path.string() +
                       ": expected a checkpoint, which begins with a checksum, found one without");
    return read(hdf5::Reader(path));
  } catch (const InputError& error) {
    throw InputError(error.what() + std::string(kCure));
  }
}

}  // namespace

Checkpoint read_checkpoint(const hdf5::Reader& file) {
  const std::string head = read_head(file);
  Checkpoint checkpoint = parse_head_of(file, head);
  if (checkpoint.parameters.size() > kMostParameters)
    file.refuse("/head", "has too many parameters");
  for (std::size_t i = 0; i < checkpoint.parameters.size(); ++i)
    read_parameter(file, group_of(i), checkpoint.parameters[i]);
  const std::string expected = file.read_text("/hash", kMostText);
  if (const std::string found = content_hash(head, checkpoint); found != expected)
    file.refuse("/hash", fmt::format("damaged: expected hash {}, found {}", expected, found));
  return checkpoint;
}

std::vector<std::byte> encode_checkpoint(const Checkpoint& checkpoint) {
  hdf5::Writer file;
  const std::string head = head_text(checkpoint);
  file.add_text("/format", kFormat);
  file.add_text("/head", head);
  file.add_text("/hash", content_hash(head, checkpoint));
  for (std::size_t i = 0; i < checkpoint.parameters.size(); ++i) {
    const SavedParameter& saved = checkpoint.parameters[i];
    hdf5::Dims dims;
    for (const std::int64_t length : saved.dims) dims.push_back(static_cast<std::uint64_t>(length));
    for (const auto& [name, values] : arrays(saved)) {
      if (values->empty() && std::string_view(name) == "best") continue;
      file.add<float>(fmt::format("{}/{}", group_of(i), name), dims, *values,
                      hdf5::Packing::kPlain);
    }
  }
  return file.finish();
}

void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  std::vector<std::byte> bytes = encode_checkpoint(checkpoint);
  hdf5::add_checksum(bytes);
  write_file_atomically(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  return read_with_checksum(path, [](const hdf5::Reader& file) { return read_checkpoint(file); });
}

std::string read_recipe(const std::filesystem::path& path) {
  return read_with_checksum(
      path, [](const hdf5::Reader& file) { return parse_head_of(file, read_head(file)).recipe; });
}

bool is_checkpoint(const std::filesystem::path& path) { return hdf5::Reader(path).has("/format"); }

std::string weights_hash(const Checkpoint& checkpoint) {
  Hasher hasher;
  for (const SavedParameter& saved : checkpoint.parameters) {
    hasher.add_text(saved.name);
    add_floats(hasher, saved.value);
  }
  return hasher.hex();
}

std::string state_hash(const Checkpoint& checkpoint) {
  Hasher hasher;
  hasher.add_text(content_hash("", checkpoint));
  hasher.add_number(static_cast<std::uint64_t>(checkpoint.step));
  hasher.add_number(static_cast<std::uint64_t>(checkpoint.tokens));
  hasher.add_number(static_cast<std::uint64_t>(checkpoint.worse_since));
  if (checkpoint.best) hasher.add_number(static_cast<std::uint64_t>(checkpoint.best->step));
  for (const SavedStream& stream : checkpoint.streams) {
    hasher.add_text(stream.content);
    hasher.add_number(static_cast<std::uint64_t>(stream.epoch));
    hasher.add_number(static_cast<std::uint64_t>(stream.trace));
  }
  return hasher.hex();
}

}  // namespace outrider::train
