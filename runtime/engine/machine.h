#pragma once

#include <string>

namespace outrider::engine {

/// The processor's name, its model numbers and how many cores this process may use: what a timing
/// or a certificate was made on.
std::string machine_name();

/// Cores that this process may use, hyper-threads of one core counted once; at least 1.
int physical_cores();

/// How many threads compute where nothing else is asked for: the physical cores, or as many as the
/// control groups grant whole if these are fewer; at least 1.
int default_threads();

}  // namespace outrider::engine
