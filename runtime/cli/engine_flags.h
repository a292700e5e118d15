#pragma once

#include <memory>
#include <string>

#include "runtime/engine/engine.h"

namespace outrider::cli {

class CommandOptions;

/// The engine's settings from flags.
struct EngineFlags {
  std::string numerics = "auto";
  std::string quantise = "none";
  std::string kv = "auto";
  std::string device = "auto";
  std::string isa = "auto";
  int threads = 0;  // 0: as engine::default_threads
};

/// --model, required
void declare_model_flag(CommandOptions& command, std::string& model);
/// --ctx. @param without  what the context is without it
void declare_context_flag(CommandOptions& command, int& context,
                          const std::string& without = "the model's");
/// Both, of a command that loads the model's weights.
void declare_model_flags(CommandOptions& command, std::string& model, int& context);
/// --numerics, --quantise, --kv
void declare_numerics_flags(CommandOptions& command, EngineFlags& flags);
/// --device, of the model
void declare_device_flag(CommandOptions& command, EngineFlags& flags);
/// --device of anything. @param help  which devices it takes, and what is done there
void declare_device_flag(CommandOptions& command, std::string& device, const std::string& help);
/// --isa
void declare_isa_flag(CommandOptions& command, EngineFlags& flags);
/// --threads
void declare_threads_flag(CommandOptions& command, EngineFlags& flags);

/// Engine options from the flags. Packing the weights of a large file shows progress.
/// @throws InputError for an unknown name
engine::EngineOptions engine_options(const EngineFlags& flags, bool quiet = false);

/// An engine with these flags.
/// @param context  most tokens of a sequence, for which a GPU must have room; 0: the usual
/// @throws InputError as engine::make_engine
std::unique_ptr<engine::Engine> make_engine(const model::Model& model, const EngineFlags& flags,
                                            int context, bool quiet = false);

}  // namespace outrider::cli
