#include "runtime/hdf5/dataset_paths.h"

#include <gtest/gtest.h>

#include "runtime/hdf5/library.h"
#include "tests/support/expect_input_error.h"
#include "tests/support/temporary_folder.h"

namespace outrider::hdf5 {
namespace {

/// Writes nested groups, each with `links` links to the next.
void write_linked_groups(const std::filesystem::path& path, int levels, int links) {
  const Handle file(must(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)),
                    H5Fclose);
  std::string group;
  for (int level = 0; level < levels; ++level) {
    const std::string next = group + "/0";
    const Handle made(
        must(H5Gcreate2(file.get(), next.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)),
        H5Gclose);
    for (int link = 1; link < links; ++link) {
      const std::string name = group + "/" + std::to_string(link);
      must(H5Lcreate_hard(file.get(), next.c_str(), file.get(), name.c_str(), H5P_DEFAULT,
                          H5P_DEFAULT));
    }
    group = next;
  }
}

TEST(DatasetPaths, AreRefusedForGroupsWithTooManyPaths) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "mine.h5";
  write_linked_groups(path, 3, 4);  // 4 + 16 + 64 paths
  EXPECT_TRUE(dataset_paths(Reader(path)).empty());
  write_linked_groups(path, 8, 30);  // 10^11
  test::expect_input_error([&] { dataset_paths(Reader(path)); }, "mine.h5",
                           "too many datasets and groups");
  write_linked_groups(path, 9, 1);
  test::expect_input_error([&] { dataset_paths(Reader(path)); }, "nested too deep");
}

}  // namespace
}  // namespace outrider::hdf5
