#pragma once

#include <functional>
#include <optional>
#include <string>

namespace outrider {

/// Looks up a variable of the environment: its value, or nothing where it is not set.
using Environment = std::function<std::optional<std::string>(const char* name)>;

/// The environment of this process.
std::optional<std::string> environment_variable(const char* name);

/// A whole number from 0 in a variable; nothing where it is not set or empty.
/// @throws InputError naming the variable for anything else
std::optional<int> number_in(const Environment& environment, const char* name);

/// This process among those that a launcher started for one piece of work.
struct LaunchedProcess {
  int index = 0;          // from 0
  int count = 1;          // of all processes
  std::string variables;  // that say so: "SLURM_PROCID=1 and SLURM_NTASKS=4"
  int place = 0;          // among those of its host, from 0; 0 too where the launcher does not say
};

/// What srun (SLURM_PROCID, SLURM_NTASKS), mpirun (OMPI_COMM_WORLD_RANK and _SIZE, or PMI_RANK and _SIZE) or torchrun
/// (RANK, WORLD_SIZE) say, and of the place on the host SLURM_LOCALID, OMPI_COMM_WORLD_LOCAL_RANK, MPI_LOCALRANKID or
/// LOCAL_RANK. A launcher that started one process says nothing where another started several, since the
/// first may have started the second.
/// @return nothing where no launcher left both of its variables
/// @throws InputError naming the variables for a number without its fellow, out of range, or where two launchers that
///         started several processes contradict each other
std::optional<LaunchedProcess> launched_process(const Environment& environment);

/// The variables that launched_process reads, for messages.
std::string launcher_variables();

}  // namespace outrider
