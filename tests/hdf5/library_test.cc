#include "runtime/hdf5/library.h"

#include <gtest/gtest.h>

#include "runtime/base/error.h"
#include "runtime/hdf5/reader.h"
#include "runtime/hdf5/writer.h"

namespace outrider::hdf5 {
namespace {

int printed = 0;

herr_t count_errors(hid_t /*stack*/, void* /*data*/) {
  ++printed;
  return 0;
}

/// What a program that uses the library itself has set.
class LibrarySettings : public testing::Test {
 protected:
  LibrarySettings() {
    must(H5open());
    must(H5Eget_auto2(H5E_DEFAULT, &print_, &data_));
    must(H5PLget_loading_state(&plug_ins_));
    must(H5Eset_auto2(H5E_DEFAULT, count_errors, this));
    must(H5PLset_loading_state(kPlugIns));
    printed = 0;
  }
  ~LibrarySettings() override {
    H5Eset_auto2(H5E_DEFAULT, print_, data_);
    H5PLset_loading_state(plug_ins_);
  }

  void expect_as_before() {
    H5E_auto2_t print = nullptr;
    void* data = nullptr;
    unsigned plug_ins = 0;
    must(H5Eget_auto2(H5E_DEFAULT, &print, &data));
    must(H5PLget_loading_state(&plug_ins));
    EXPECT_EQ(print, count_errors);
    EXPECT_EQ(data, this);
    EXPECT_EQ(plug_ins, kPlugIns);
  }

  static constexpr unsigned kPlugIns = H5PL_FILTER_PLUGIN;

 private:
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
  unsigned plug_ins_ = 0;
};

TEST_F(LibrarySettings, StayThoseOfTheProgramAndErrorsAreNotPrinted) {
  Writer writer;
  writer.add_number<std::int32_t>("/a/b", 3);
  writer.add_text("/a/text", "some");
  EXPECT_THROW(writer.add_number<std::int32_t>("/a/b", 3), std::runtime_error);
  const std::vector<std::byte> bytes = writer.finish();
  expect_as_before();

  const Reader reader(bytes, "some.h5");
  EXPECT_EQ(reader.names("/a"), (std::vector<std::string>{"b", "text"}));
  EXPECT_EQ(reader.read_number<std::int32_t>("/a/b"), 3);
  EXPECT_EQ(reader.read_text("/a/text", 10), "some");
  EXPECT_FALSE(reader.has("/c/d"));
  EXPECT_FALSE(reader.is_group("/c/d"));
  EXPECT_THROW(reader.names("/c"), InputError);
  EXPECT_THROW(reader.info("/a"), InputError);
  EXPECT_THROW(Reader(std::span(bytes).first(100), "cut.h5"), InputError);
  EXPECT_EQ(printed, 0);
  expect_as_before();

  EXPECT_LT(H5Gopen2(H5I_INVALID_HID, "/", H5P_DEFAULT), 0);
  EXPECT_EQ(printed, 1) << "the program's own errors are";
}

TEST_F(LibrarySettings, NoPlugInIsLoadedMeanwhile) {
  const LibraryCall call;
  unsigned plug_ins = kPlugIns;
  must(H5PLget_loading_state(&plug_ins));
  EXPECT_EQ(plug_ins, 0U);
}

}  // namespace
}  // namespace outrider::hdf5
