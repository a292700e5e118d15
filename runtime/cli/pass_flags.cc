#include "runtime/cli/pass_flags.h"

#include <fmt/core.h>

#include "runtime/base/error.h"
#include "runtime/cli/command_options.h"
#include "runtime/cost/pass_timer.h"
#include "runtime/engine/engine.h"

namespace outrider::cli {

void declare_pass_flags(CommandOptions& command, PassFlags& flags, const std::string& usual_rows,
                        const std::string& usual_contexts) {
  command.add_list("-t,--threads", flags.threads,
                   "Numbers of threads (default: 1 and the physical cores granted to the process); "
                   "of a GPU: of blocks");
  command.add_list("--rows", flags.rows,
                   fmt::format("New rows of a pass (default: {})", usual_rows));
  command.add_list("--contexts", flags.contexts,
                   fmt::format("Tokens before them (default: {})", usual_contexts));
}

void read_pass_flags(const PassFlags& flags, const model::ModelConfig& config,
                     std::vector<int>& threads, std::vector<int>& rows,
                     std::vector<int>& contexts) {
  constexpr int kMostRows = cost::PassTimer::kMostRows;
  const int longest = config.context - kMostRows;
  if (longest < 1)
    throw InputError(
        fmt::format("--model: expected a context above {}, found {}", kMostRows, config.context));
  std::erase_if(contexts, [longest](int context) { return context > longest; });
  read_whole_numbers("--threads", flags.threads, 1, engine::kMostThreads, threads);
  read_whole_numbers("--rows", flags.rows, 1, kMostRows, rows);
  read_whole_numbers("--contexts", flags.contexts, 1, longest, contexts);
}

}  // namespace outrider::cli
