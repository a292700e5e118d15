#pragma once

#include <string>

#include "runtime/base/launched_process.h"

namespace outrider {

/// The share of one process in work that several divide.
struct WorkShare {
  int part = 1;  // from 1
  int parts = 1;
  std::string variables;  // of the environment, that it was taken from; empty: it was given
};

/// Reads --shard: I/N; auto, the share of this process among those that a launcher started; or auto/N, where the
/// launcher tells a process its number but not how many there are, as Kubernetes does. A job array
/// (SLURM_ARRAY_TASK_ID, or JOB_COMPLETION_INDEX of an indexed job) comes before the rank of a process
/// (launched_process), since each task of an array may start processes of its own. Tasks are numbered from 0.
/// @param parts_there  that the work was divided into when it began, so that a part of an array can be submitted again
///                     and still means the same shares; 0: it begins now
/// @throws InputError naming the flag or the variables for what is missing, no number, out of range or contradictory
WorkShare read_share(const std::string& text, int parts_there,
                     const Environment& environment = environment_variable);

/// "--shard auto: part 3 of 8, by SLURM_ARRAY_TASK_ID=2 and SLURM_ARRAY_TASK_COUNT=8"; empty where it was given as I/N.
std::string share_text(const std::string& text, const WorkShare& share);

}  // namespace outrider
