#pragma once

#include <gtest/gtest.h>

#include <string>

#include "runtime/methods/ssd.h"
#include "runtime/methods/trained_disco.h"
#include "tests/methods/calibrated_target.h"
#include "tests/support/some_disco.h"

namespace outrider::methods {

/// `ssd` for a tiny target, whose artifact file has a draft model.
class SsdTest : public testing::Test {
 protected:
  static constexpr const char* kMessage = "abcabcabc";

  std::string own_path() { return target_.target().model().path.string(); }
  /// What `train disco` found about a draft model.
  void write_disco(const std::string& draft, const std::string& set = artifacts::kAllTexts) {
    const std::string hash = draft_identity(draft, target_.target().model());
    for (const bool published : {true, false})
      target_.write(
          artifacts::stop_group(published ? draft::kDiscoStop : draft::kClassifierStop, set),
          [&](hdf5::Writer& file, const std::string& group) {
            artifacts::write_disco(test::some_disco(hash, published), file, group);
          });
  }

  test::CalibratedTarget target_;
  Ssd ssd_;
};

}  // namespace outrider::methods
