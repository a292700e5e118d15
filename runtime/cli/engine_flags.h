#pragma once

#include <memory>
#include <string>

#include "runtime/engine/engine.h"

namespace outrider::cli {

class CommandOptions;

/// How the target computes, as flags say it.
struct EngineFlags {
  std::string numerics = "auto";
  std::string quantise = "none";
  std::string kv = "auto";
  std::string isa = "auto";
  int threads = 0;  // 0: as engine::default_threads
};

/// --model, required
void declare_model_flag(CommandOptions& command, std::string& model);
/// --numerics, --quantise, --kv
void declare_numerics_flags(CommandOptions& command, EngineFlags& flags);
/// --isa
void declare_isa_flag(CommandOptions& command, EngineFlags& flags);
/// --threads
void declare_threads_flag(CommandOptions& command, EngineFlags& flags);

/// As the flags say. The packing of a big file's weights shows its progress.
/// @throws InputError for a name that is none
engine::EngineOptions engine_options(const EngineFlags& flags, bool quiet = false);

/// An engine as the flags say.
/// @throws InputError as engine::Engine does
std::unique_ptr<engine::Engine> make_engine(const model::Model& model, const EngineFlags& flags,
                                            bool quiet = false);

}  // namespace outrider::cli
