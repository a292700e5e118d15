#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "runtime/draft/drafter.h"

namespace outrider {

struct DecodeOptions;

/// The names that `--method` takes, and what its help says about them.
std::vector<std::string> method_names();
std::string method_help();

/// A drafter for one sequence; nullptr for plain decoding.
std::unique_ptr<draft::Drafter> make_drafter(const DecodeOptions& options);

/// The long names of the flags that the method uses, of those that not every method does.
const std::set<std::string>& flags_of_method(const std::string& method);

/// @throws InputError when a flag on the command line belongs to other methods only
void check_method_flags(const DecodeOptions& options);

}  // namespace outrider
