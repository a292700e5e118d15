#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "runtime/base/launched_process.h"

namespace outrider::train {

/// Where the workers of a run find each other: at a port of worker 0's host, or in a folder that all share.
struct Meeting {
  std::string host;  // empty: a folder
  std::uint16_t port = 0;
  std::string folder;
  bool has_server = false;  // the launcher listens there (torchrun), and not worker 0
  std::string attempt;      // of the launcher, which the same server has seen before
  std::function<bool()> interrupted = {};  // asked while the others are waited for in a folder
};

/// Reads --workers: HOST:PORT, a folder, or auto, which is MASTER_ADDR and MASTER_PORT.
/// @throws InputError naming the flag or the variables for anything else
Meeting read_meeting(const std::string& text,
                     const Environment& environment = environment_variable);

}  // namespace outrider::train
