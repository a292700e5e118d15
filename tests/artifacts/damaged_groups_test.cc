// Whatever a group of an artifact file holds in place of what was written there ends in a sentence about it.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/text_file.h"
#include "runtime/hdf5/dataset_paths.h"
#include "tests/fuzz/hdf5_pieces.h"
#include "tests/fuzz/read_artifact.h"
#include "tests/support/source_path.h"

namespace outrider::artifacts {
namespace {

/// What is put in place of a dataset.
enum class Damage { kShape, kValues };

void copy(const hdf5::Reader& from, const std::string& path, hdf5::Writer& to) {
  const hdf5::DatasetInfo info = from.info(path);
  if (info.is_text)
    to.add_text(path, from.read_text(path, 1 << 20));
  else
    to.add_numbers(path, info.type, info.dims, from.read_bytes(path), hdf5::Packing::kPlain);
}

/// Another dimension, or a number in place of a text; or numbers all of whose bits are set, which are -1 or none.
void copy_damaged(const hdf5::Reader& from, const std::string& path, Damage damage,
                  hdf5::Writer& to) {
  const hdf5::DatasetInfo info = from.info(path);
  if (info.is_text) {
    if (damage == Damage::kShape) return to.add_number<std::int32_t>(path, 1);
    return to.add_text(path, "\x01?");
  }
  std::vector<std::byte> bytes = from.read_bytes(path);
  hdf5::Dims dims = info.dims;
  if (damage == Damage::kShape) {
    dims.push_back(1);
  } else {
    std::fill(bytes.begin(), bytes.end(), std::byte{0xff});
  }
  to.add_numbers(path, info.type, dims, bytes, hdf5::Packing::kPlain);
}

/// A sound file's copy in which one dataset is damaged.
ArtifactFile with_damage(const hdf5::Reader& sound, const std::string& where, Damage damage) {
  hdf5::Writer file;
  for (const std::string& path : hdf5::dataset_paths(sound))
    if (path == where)
      copy_damaged(sound, path, damage, file);
    else
      copy(sound, path, file);
  return ArtifactFile(hdf5::Reader(file.finish(), "damaged.h5"));
}

/// The sentence with which it is refused; empty: it is not.
std::string refusal_of(const ArtifactFile& file) {
  try {
    fuzz::read_groups(file);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

/// What only people read, in `runtime inspect`.
bool is_for_people(const std::string& path) {
  return path.find("/model/") != std::string::npos || path.find("/halves/") != std::string::npos ||
         path.ends_with("/hit_shares");
}

/// The words that every sentence has.
bool says_what_was_found(const std::string& refusal) {
  return refusal.find(": expected ") != std::string::npos &&
         refusal.find("found ") != std::string::npos;
}

class DamagedGroups : public testing::TestWithParam<std::string> {
 protected:
  const std::string pieces_ =
      read_text_file(test::source_path("tests/fuzz/corpus/artifact") + "/" + GetParam(), 1 << 20);
  const std::vector<std::byte> bytes_ = fuzz::file_of_pieces(std::as_bytes(std::span(pieces_)));
  const hdf5::Reader sound_{bytes_, "sound.h5"};
  const ArtifactFile file_{hdf5::Reader(bytes_, "sound.h5")};
};

TEST_P(DamagedGroups, OfAnotherShapeAreRefusedByTheNameOfTheDataset) {
  for (const std::string& group : file_.groups())
    for (const std::string& path : file_.datasets_of(group)) {
      if (is_for_people(path)) continue;
      const std::string refusal = refusal_of(with_damage(sound_, path, Damage::kShape));
      EXPECT_TRUE(refusal.starts_with("damaged.h5: " + path + ": expected ")) << path << refusal;
      EXPECT_TRUE(says_what_was_found(refusal)) << refusal;
    }
}

TEST_P(DamagedGroups, OfOtherValuesAreReadOrRefusedByTheNameOfTheGroup) {
  for (const std::string& group : file_.groups()) {
    int refused = 0;
    for (const std::string& path : file_.datasets_of(group)) {
      if (path.find("/provenance/") != std::string::npos) continue;  // any text
      const std::string refusal = refusal_of(with_damage(sound_, path, Damage::kValues));
      if (refusal.empty()) continue;
      ++refused;
      EXPECT_TRUE(refusal.starts_with("damaged.h5: " + group + "/")) << path << refusal;
      EXPECT_TRUE(says_what_was_found(refusal)) << path << refusal;
    }
    EXPECT_GE(refused, 3) << group;
  }
}

std::vector<std::string> sound_files() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(test::source_path("tests/fuzz/corpus/artifact")))
    if (const std::string name = entry.path().filename().string(); name.starts_with("valid_"))
      names.push_back(name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Files, DamagedGroups, testing::ValuesIn(sound_files()),
                         [](const auto& named) { return named.param; });

}  // namespace
}  // namespace outrider::artifacts
