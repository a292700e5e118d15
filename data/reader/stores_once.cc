#include "data/reader/stores_once.h"

#include <fmt/core.h>

#include "runtime/base/error.h"

namespace outrider::data {

void StoresOnce::add(const TraceStore& store) {
  const std::string folder = store.folder().string();
  const auto [before, is_new] = folders_.emplace(content_hash(store.manifest()), folder);
  if (!is_new)
    throw InputError(fmt::format("{}: {} has the traces of {}; expected every store once", flag_,
                                 folder, before->second));
}

}  // namespace outrider::data
