#pragma once

#include <c10/core/Device.h>

#include <cstdint>

namespace outrider::test {

/// An address of the device's is the processor's with this bit, and belongs to nobody there.
constexpr std::uintptr_t kSeparate = std::uintptr_t{1} << 62;

/// A device whose memory the processor cannot read: what reads or mixes tensors as a GPU would refuse fails here too, on
/// machines without one. Its operations are the processor's, on the same memory by another address. Refused, as an
/// exception: an operation on tensors of both devices, except numbers that LibTorch made tensors of, and operations that
/// LibTorch has as views of memory and that are not known here. Reading its numbers by a pointer ends the process.
at::Device separate_device();

/// Operations that it has done since the program started, for tests that something was done there.
std::int64_t separate_operations();

/// Asks whether what others do on its stream is done, as an event does there; null: all is.
extern bool (*separate_stream_is_done)();

}  // namespace outrider::test
