#include "runtime/model/gguf/gguf_file.h"

#include <fmt/core.h>

#include <bit>
#include <set>

#include "runtime/base/error.h"

namespace outrider::model {
namespace {

// The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
constexpr std::uint32_t kMagic = 0x46554747;  // "GGUF"
constexpr std::uint64_t kDefaultAlignment = 32;
constexpr std::uint64_t kMaxAlignment = 1 << 20;
constexpr std::uint64_t kMaxEntries = 1
                                      << 20;  // of keys, and of tensors; real files have thousands

/// Reads a count, bounded by the bytes left at `smallest` bytes each.
std::uint64_t read_count(ByteReader& reader, const char* what, std::uint64_t smallest) {
  const auto count = reader.number<std::uint64_t>(what);
  if (count > kMaxEntries || count > reader.left() / smallest) {
    throw InputError(fmt::format("{}: {} is {}, too many for a file of this size ({} bytes)",
                                 reader.file(), what, count, reader.left()));
  }
  return count;
}

std::uint64_t checked_alignment(const GgufFile& file) {
  const GgufValue* value = file.find("general.alignment");
  if (value == nullptr) return kDefaultAlignment;
  const auto* alignment = std::get_if<std::uint64_t>(value);
  if (alignment == nullptr || !std::has_single_bit(*alignment) || *alignment < 8 ||
      *alignment > kMaxAlignment) {
    throw InputError(fmt::format(
        "{}: general.alignment is {} (expected a power of two from 8 to {})", file.name(),
        alignment ? std::to_string(*alignment) : "not a number", kMaxAlignment));
  }
  return *alignment;
}

std::uint32_t read_header(ByteReader& reader) {
  const std::string& file = reader.file();
  if (reader.left() < 4 || reader.number<std::uint32_t>("the magic") != kMagic) {
    throw InputError(fmt::format("{}: is not a GGUF file (it does not begin with \"GGUF\")", file));
  }
  const auto version = reader.number<std::uint32_t>("the format version");
  if (version != 2 && version != 3) {
    const bool swapped = version != 0 && (version & 0xFFFF) == 0;
    throw InputError(
        fmt::format("{}: is GGUF {} (expected version 2 or 3, little-endian)", file,
                    swapped ? "in big-endian byte order" : fmt::format("version {}", version)));
  }
  return version;
}

std::vector<GgufTensorInfo> read_tensor_infos(ByteReader& reader, std::uint64_t count) {
  std::vector<GgufTensorInfo> infos;
  std::set<std::string_view> seen;
  for (std::uint64_t i = 0; i < count; ++i) {
    infos.push_back(read_gguf_tensor(reader));
    const std::string_view name = infos.back().tensor.name;
    if (!seen.insert(name).second) {
      throw InputError(fmt::format("{}: tensor '{}' is duplicated", reader.file(), name));
    }
  }
  return infos;
}

}  // namespace

GgufFile GgufFile::parse(std::span<const std::byte> bytes, const std::string& name) {
  GgufFile file;
  file.name_ = name;
  ByteReader reader(bytes, name);
  file.version_ = read_header(reader);
  // The smallest tensor description: a name of one byte, one dimension. The smallest key: one byte
  // and a bool.
  const auto tensor_count = read_count(reader, "the number of tensors", 8 + 1 + 4 + 8 + 4 + 8);
  const auto key_count = read_count(reader, "the number of metadata keys", 8 + 1 + 4 + 1);

  for (std::uint64_t i = 0; i < key_count; ++i) {
    std::string key(read_gguf_name(reader, "a metadata key"));
    const std::string what = fmt::format("metadata key '{}'", key);
    const GgufValue value = read_gguf_value(reader, what);
    if (!file.index_.emplace(key, file.metadata_.size()).second) {
      throw InputError(fmt::format("{}: {} is duplicated", name, what));
    }
    file.metadata_.emplace_back(std::move(key), value);
  }
  const auto infos = read_tensor_infos(reader, tensor_count);

  const std::uint64_t alignment = checked_alignment(file);
  const std::uint64_t padding = (alignment - reader.position() % alignment) % alignment;
  if (!infos.empty()) reader.take(padding, "the padding before the tensors");
  file.tensors_ =
      assign_gguf_data(infos, bytes.subspan(reader.position()), reader.position(), alignment, name);
  return file;
}

void GgufFile::add_part(const GgufFile& part) {
  std::set<std::string_view> seen;
  for (const GgufTensor& tensor : tensors_) seen.insert(tensor.name);
  for (const GgufTensor& tensor : part.tensors_) {
    if (seen.contains(tensor.name))
      throw InputError(fmt::format("{}: tensor '{}' is also in another part of the model",
                                   part.name_, tensor.name));
  }
  tensors_.insert(tensors_.end(), part.tensors_.begin(), part.tensors_.end());
  ++parts_;
}

const GgufValue* GgufFile::find(std::string_view key) const {
  const auto found = index_.find(key);
  return found == index_.end() ? nullptr : &metadata_[found->second].second;
}

}  // namespace outrider::model
