#pragma once

#include <string>
#include <vector>

#include "runtime/model/config.h"

namespace outrider::cli {

class CommandOptions;

/// The passes to time, from flags; an empty list means the command's default.
struct PassFlags {
  std::vector<std::string> threads, rows, contexts;
};

/// --threads, --rows, --contexts
/// @param usual_rows, usual_contexts  the command's defaults, for the help
void declare_pass_flags(CommandOptions& command, PassFlags& flags, const std::string& usual_rows,
                        const std::string& usual_contexts);

/// Replaces the numbers of threads, rows and contexts by the given ones, and drops default contexts that are too long
/// for the model.
/// @throws InputError naming the flag; for a model whose context is shorter than the widest pass
void read_pass_flags(const PassFlags& flags, const model::ModelConfig& config,
                     std::vector<int>& threads, std::vector<int>& rows, std::vector<int>& contexts);

}  // namespace outrider::cli
