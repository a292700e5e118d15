#include "tests/train/separate_device.h"

#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/resize_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace outrider::test {
namespace {

constexpr auto kKeys = c10::DispatchKeySet(c10::DispatchKey::PrivateUse1);
std::atomic<std::int64_t> operations = 0;

void* other_address(const void* pointer) {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(pointer) ^ kSeparate);
}

struct SeparateMemory final : c10::Allocator {
  at::DataPtr allocate(std::size_t bytes) override {
    void* const memory = std::malloc(std::max<std::size_t>(bytes, 1));
    return {other_address(memory), memory, &std::free, separate_device()};
  }
  c10::DeleterFnPtr raw_deleter() const override { return nullptr; }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    std::memcpy(other_address(to), other_address(from), bytes);
  }
};

c10::Allocator* memory() {
  static SeparateMemory allocator;
  return &allocator;
}

bool is_separate(const at::Tensor& tensor) { return tensor.defined() && tensor.is_privateuseone(); }

/// The same memory as a tensor of the processor's, while the other lives.
at::Tensor on_processor(const at::Tensor& tensor) {
  return at::from_blob(other_address(tensor.const_data_ptr()), tensor.sizes(), tensor.strides(),
                       tensor.options().device(at::kCPU));
}

at::Tensor empty(at::IntArrayRef size, std::optional<at::ScalarType> type,
                 std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>,
                 std::optional<at::MemoryFormat> format) {
  return at::detail::empty_generic(size, memory(), kKeys, type.value_or(at::kFloat), format);
}

at::Tensor empty_strided(at::IntArrayRef size, at::IntArrayRef stride,
                         std::optional<at::ScalarType> type, std::optional<at::Layout>,
                         std::optional<at::Device>, std::optional<bool>) {
  return at::detail::empty_strided_generic(size, stride, memory(), kKeys,
                                           type.value_or(at::kFloat));
}

at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool) {
  ++operations;
  const at::Tensor target = is_separate(to) ? on_processor(to) : to;
  target.copy_(is_separate(from) ? on_processor(from) : from);
  return to;
}

/// What an operation of the processor's gets in place of a tensor of the device's.
struct Stand {
  at::Tensor separate, local;
  bool is_new;  // the operation is to give it a size
};

/// One call of an operation, done by the processor.
class Call {
 public:
  explicit Call(const c10::OperatorHandle& op) : op_(op), name_(op.schema().name()) {}

  void run(torch::jit::Stack* stack) {
    const auto& arguments = op_.schema().arguments();
    const std::size_t first = stack->size() - arguments.size();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const auto* const alias = arguments[i].alias_info();
      replace((*stack)[first + i], alias != nullptr && alias->isWrite());
    }
    op_.redispatchBoxed(c10::DispatchKeySet(c10::DispatchKey::CPU), stack);
    for (const Stand& stand : stands_)
      if (stand.is_new) take(stand);
    const std::size_t results = op_.schema().returns().size();
    for (std::size_t i = stack->size() - results; i < stack->size(); ++i) give((*stack)[i]);
  }

 private:
  at::Tensor stand_for(const at::Tensor& tensor, bool is_written) {
    if (!tensor.defined()) return tensor;
    if (!is_separate(tensor)) {
      if (tensor.dim() == 0 && tensor.unsafeGetTensorImpl()->is_wrapped_number()) return tensor;
      throw std::logic_error(name_ + ": a tensor of the processor's among the device's");
    }
    const bool is_new = is_written && tensor.dim() == 1 && tensor.numel() == 0;
    at::Tensor local =
        is_new ? at::empty({0}, tensor.options().device(at::kCPU)) : on_processor(tensor);
    stands_.push_back({tensor, local, is_new});
    return local;
  }

  void replace(c10::IValue& value, bool is_written) {
    if (value.isTensor()) {
      value = stand_for(value.toTensor(), is_written);
    } else if (value.isTensorList()) {
      c10::List<at::Tensor> local;
      for (const at::Tensor& tensor : value.toTensorVector())
        local.push_back(stand_for(tensor, is_written));
      value = std::move(local);
    } else if (value.isOptionalTensorList()) {
      c10::List<std::optional<at::Tensor>> local;
      for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorList())
        local.push_back(tensor ? std::optional(stand_for(*tensor, is_written)) : std::nullopt);
      value = std::move(local);
    } else if (value.isDevice()) {
      value = at::Device(at::kCPU);
    }
  }

  static void take(const Stand& stand) {
    stand.separate.resize_(stand.local.sizes());
    on_processor(stand.separate).copy_(stand.local);
  }

  at::Tensor separate_result(const at::Tensor& local) const {
    if (!local.defined()) return local;
    for (const Stand& stand : stands_)
      if (stand.local.is_same(local)) return stand.separate;
    for (const Stand& stand : stands_)
      if (local.numel() > 0 && stand.local.storage().data() == local.storage().data())
        throw std::logic_error(name_ + ": a view that the device does not know");
    const at::Tensor separate = at::detail::empty_strided_generic(
        local.sizes(), local.strides(), memory(), kKeys, local.scalar_type());
    on_processor(separate).copy_(local);
    return separate;
  }

  void give(c10::IValue& value) const {
    if (value.isTensor()) {
      value = separate_result(value.toTensor());
    } else if (value.isTensorList()) {
      c10::List<at::Tensor> separate;
      for (const at::Tensor& tensor : value.toTensorVector())
        separate.push_back(separate_result(tensor));
      value = std::move(separate);
    }
  }

  const c10::OperatorHandle& op_;
  std::string name_;
  std::vector<Stand> stands_;
};

void call(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  ++operations;
  Call(op).run(stack);
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&call>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library) {
  library.impl("empty.memory_format", &empty);
  library.impl("empty_strided", &empty_strided);
  library.impl("_copy_from", &copy_from);
  library.impl("as_strided", &at::native::as_strided_tensorimpl);
  library.impl("view", &at::native::view);
  library.impl("_reshape_alias", &at::native::_reshape_alias);
  library.impl("resize_", &at::native::resize_);
}

// As an accelerator, which gradients are computed on in a thread of its own.
struct Hooks final : at::PrivateUse1HooksInterface {
  bool hasPrimaryContext(at::DeviceIndex) const override { return true; }
  bool isAvailable() const override { return true; }
  at::DeviceIndex deviceCount() const override { return 1; }
  at::DeviceIndex getCurrentDevice() const override { return 0; }
};

const bool registered = [] {
  static Hooks hooks;
  at::RegisterPrivateUse1HooksInterface(&hooks);
  c10::register_privateuse1_backend("separate");
  return true;
}();

/// Everything but what others do there has been done when an operation returns, so events have happened.
struct Guard final : c10::impl::NoOpDeviceGuardImpl<c10::DeviceType::PrivateUse1> {
  void record(void**, const c10::Stream&, const c10::DeviceIndex,
              const c10::EventFlag) const override {}
  void block(void*, const c10::Stream&) const override {}
  bool queryEvent(void*) const override {
    return separate_stream_is_done == nullptr || separate_stream_is_done();
  }
  void* getStreamNativeHandle(c10::Stream) const override { return nullptr; }
  c10::Device exchangeDevice(c10::Device) const override { return separate_device(); }
  c10::Device getDevice() const override { return separate_device(); }
  c10::Stream getStream(c10::Device) const noexcept override { return stream(); }
  c10::Stream getNewStream(c10::Device, int) const override { return stream(); }
  c10::Stream exchangeStream(c10::Stream) const noexcept override { return stream(); }

 private:
  static c10::Stream stream() { return c10::Stream(c10::Stream::DEFAULT, separate_device()); }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

}  // namespace

at::Device separate_device() { return {at::kPrivateUse1, 0}; }
std::int64_t separate_operations() { return operations; }
bool (*separate_stream_is_done)() = nullptr;

}  // namespace outrider::test
