#pragma once

#include <string>

#include "train/device/training_device.h"
#include "train/workers/workers.h"

namespace outrider::train {

/// What --exchange takes.
inline constexpr const char* kExchanges[] = {"auto", "gloo", "nccl"};

/// Chooses how gradients go from worker to worker, for all alike: by NCCL from card to card, or by Gloo through the hosts'
/// memory. The bits are the same. `auto` is NCCL where each worker has a card of its own and the library.
/// @param wanted   of kExchanges, as this worker was told
/// @param device   where this worker trains
/// @param seconds  that a worker waits for another
/// @return for the log: what was chosen, and why
/// @throws InputError in all workers where they were told different things, or NCCL and it cannot be: why, and the cure;
///         TryAgain where a worker has ended or does not answer
std::string choose_exchange(Workers& workers, const std::string& wanted,
                            const TrainingDevice& device, double seconds);

}  // namespace outrider::train
