#pragma once

#include <optional>
#include <string>

namespace outrider::engine {

/// The processor's name, its model numbers and the number of cores this process may use: identifies
/// the machine of a timing or a certificate.
std::string machine_name();

/// Cores that this process may use, hyper-threads of one core counted once; at least 1.
int physical_cores();

/// The default number of threads: the physical cores, or the whole CPUs that the control groups
/// grant if these are fewer; at least 1.
int default_threads();
/// The same for so many cores, and so many CPUs granted, if there is a limit.
int default_threads(int cores, std::optional<double> granted);

}  // namespace outrider::engine
