#pragma once

#include <map>
#include <string>
#include <utility>

#include "data/store/trace_store.h"

namespace outrider::data {

/// The stores that one flag names: a store, or a copy of it, that is given twice would count twice.
class StoresOnce {
 public:
  explicit StoresOnce(std::string flag) : flag_(std::move(flag)) {}

  /// @throws InputError naming both if one with the same content was added before
  void add(const TraceStore& store);

 private:
  std::string flag_;
  std::map<std::string, std::string> folders_;  // by content
};

}  // namespace outrider::data
