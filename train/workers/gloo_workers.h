#pragma once

#include <memory>

#include "runtime/base/launched_process.h"
#include "train/workers/meeting.h"
#include "train/workers/workers.h"

namespace outrider::train {

/// Connects this process with the others that a launcher started, by LibTorch's c10d and Gloo: TCP, neither encrypted nor
/// authenticated. The address of this host is the one from which it reaches worker 0, or that of GLOO_SOCKET_IFNAME.
/// @param seconds  that a worker waits for another before it gives up
/// @throws InputError where worker 0's port is taken or there is no such interface; TryAgain naming the workers that do not come in time
std::unique_ptr<Workers> connect_workers(const LaunchedProcess& process, const Meeting& meeting,
                                         double seconds);

}  // namespace outrider::train
