#include "runtime/model/byte_reader.h"

#include <fmt/core.h>

#include "runtime/base/error.h"

namespace outrider::model {

void ByteReader::fail_short(std::uint64_t count, std::string_view what) const {
  throw InputError(
      fmt::format("{}: {} at byte {} needs {} bytes, but {} are left: the file is damaged or was "
                  "not copied to its end",
                  file_, what, position_, count, left()));
}

}  // namespace outrider::model
