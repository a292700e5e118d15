#include "runtime/base/file_hash.h"

#include <gtest/gtest.h>

#include <fstream>
#include <span>

#include "runtime/base/error.h"
#include "runtime/base/hash.h"
#include "tests/support/temporary_folder.h"

namespace outrider {
namespace {

TEST(FileHash, IsOfAllBytesOrTheRest) {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "mine";
  std::string text(3'000'000, 'a');
  text += "the end";
  std::ofstream(path, std::ios::binary) << text;
  const auto bytes = std::as_bytes(std::span(text));
  EXPECT_EQ(file_hash(path), hash_hex(bytes));
  std::ifstream file(path, std::ios::binary);
  file.seekg(2'000'001);
  EXPECT_EQ(hash_of_rest(file, path), hash_hex(bytes.subspan(2'000'001)));
  EXPECT_THROW(file_hash(folder.path() / "none"), InputError);
}

}  // namespace
}  // namespace outrider
