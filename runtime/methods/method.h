#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "runtime/draft/drafter.h"
#include "runtime/engine/engine.h"
#include "runtime/model/model.h"

namespace outrider {

struct DecodeOptions;

/// The names that `--method` takes, and what its help says about them.
std::vector<std::string> method_names();
std::string method_help();

/// The names of the methods that use a flag, given by its long name.
std::vector<std::string> methods_with_flag(const std::string& flag);

/// Gives the method what it needs from the model's artifact file where flags do not, and checks it.
/// @param engine  of the model; what its passes cost decides how long drafts are
/// @throws InputError naming the flag or the file
void settle_method(DecodeOptions& options, const model::Model& model, const engine::Engine& engine);

/// A drafter for one sequence, of settled options; nullptr for plain decoding.
std::unique_ptr<draft::Drafter> make_drafter(const DecodeOptions& options);

/// The long names of the flags that the method uses, of those that not every method does.
const std::set<std::string>& flags_of_method(const std::string& method);

/// Whether texts are attributed: it is asked for, and the method copies. A config file may ask for it
/// whatever the method.
bool attributes(const DecodeOptions& options);

/// @throws InputError when a flag on the command line belongs to other methods only
void check_method_flags(const DecodeOptions& options);

}  // namespace outrider
