#include <gtest/gtest.h>

#include "runtime/artifacts/acceptance_group.h"
#include "runtime/artifacts/target_identity.h"
#include "tests/support/expect_input_error.h"

namespace outrider::artifacts {
namespace {

using draft::AcceptanceTable;

const std::string kOfPld = acceptance_group("pld");

ArtifactFile counted_file(const std::function<void(hdf5::Writer&)>& fill) {
  hdf5::Writer file;
  write_target({"m.gguf", "01", "23", 4, 8, 2}, file);
  fill(file);
  return ArtifactFile(hdf5::Reader(file.finish(), "a.h5"));
}

ArtifactFile counted_file(const std::vector<std::int64_t>& cells, std::uint64_t columns = 6) {
  return counted_file([&](hdf5::Writer& file) {
    const std::string one = kOfPld + "/temperatures/0";
    file.add_number(one + "/temperature", 0.0);
    file.add<std::int64_t>(one + "/cells", {cells.size() / columns, columns}, cells,
                           hdf5::Packing::kPlain);
  });
}

TEST(AcceptanceGroup, GivesBackWhatWasWritten) {
  AcceptanceByTemperature written;
  written[0].add({draft::Source::kContext, 2, 10, 8, 100, 40});
  written[0].add({draft::Source::kModel, 0, 3, 1, std::int64_t{1} << 40, 0});
  written[0.8];
  const AcceptanceByTemperature found = read_acceptance(
      counted_file([&](hdf5::Writer& file) { write_acceptance(written, file, kOfPld); }), kOfPld);
  EXPECT_EQ(found, written);
}

TEST(AcceptanceGroup, RefusesWhatMakesNoSense) {
  const auto refused = [](std::vector<std::int64_t> cells, const std::string& why,
                          std::uint64_t columns = 6) {
    test::expect_input_error([&] { read_acceptance(counted_file(cells, columns), kOfPld); }, "a.h5",
                             why);
  };
  EXPECT_EQ(read_acceptance(counted_file({1, 0, 10, 1, 5, 5}), kOfPld).size(), 1U);
  refused({0, 0, 10, 1, 5, 5}, "row 0: expected a source of 1 to 7, found 0");
  refused({8, 0, 10, 1, 5, 5}, "expected a source of 1 to 7, found 8");
  refused({1, 0, 10, 1, 5, 5, 1, 6, 10, 1, 5, 5}, "row 1: expected a rank of 0 to 5, found 6");
  refused({1, 0, 11, 1, 5, 5}, "expected a tenth of 0 to 10, found 11");
  refused({1, 0, 10, 0, 5, 5}, "expected a depth of 1 to 8, found 0");
  refused({1, 0, 10, 1, 0, 0}, "expected a number offered of 1 to");
  refused({1, 0, 10, 1, 5, 6}, "expected a number accepted of 0 to 5, found 6");
  refused({1, 0, 10, 1, 5, -1}, "found -1");
  refused({1, 0, 10, 1, 5}, "cells", 5);
}

}  // namespace
}  // namespace outrider::artifacts
