#pragma once

#include <memory>

#include "train/workers/card_link.h"
#include "train/workers/nccl_library.h"
#include "train/workers/workers.h"

namespace outrider::train {

/// Links the workers' cards by NCCL. Every exchange is one ncclSend and one ncclRecv between two workers: NCCL adds nothing,
/// since the order of its own sums depends on how many cards there are.
/// @param library  that can be used, of the same version in all workers
/// @param device   this worker's card, which no other worker has
/// @param seconds  that a worker waits for another
/// @throws InputError where NCCL refuses what it is given; TryAgain where a worker has ended or does not answer
std::unique_ptr<CardLink> link_by_nccl(Workers& workers, const NcclLibrary& library,
                                       at::Device device, double seconds);

}  // namespace outrider::train
