#include "data/generate/score_kernels.h"

#include <stdexcept>

#include "runtime/engine/cpu/instruction_set.h"

namespace outrider::data {

const ScoreKernels& score_kernels_for(engine::Isa isa) {
  (void)engine::cpu::kernels_for(isa);  // refuses what the processor lacks
  switch (isa == engine::Isa::kAuto ? engine::cpu::available_isas().back() : isa) {
    case engine::Isa::kScalar:
      return scalar::kScoreKernels;
    case engine::Isa::kAvx2:
      return avx2::kScoreKernels;
    case engine::Isa::kAvx512:
    case engine::Isa::kAmx:  // tiles have nothing for floats
      return avx512::kScoreKernels;
    case engine::Isa::kAuto:
      break;
  }
  throw std::logic_error("score_kernels_for: no such instruction set");
}

}  // namespace outrider::data
