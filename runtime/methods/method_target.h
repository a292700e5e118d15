#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <typeindex>
#include <utility>

#include "runtime/artifacts/artifact_set.h"
#include "runtime/artifacts/target_identity.h"
#include "runtime/base/notices.h"
#include "runtime/cost/quick_costs.h"
#include "runtime/engine/engine.h"
#include "runtime/model/model.h"

namespace outrider::methods {

/// The target that methods are prepared for. Data that several of them need is loaded once.
class MethodTarget {
 public:
  /// @param model, engine  must outlive it and the methods prepared for it
  /// @param folders        where results of calibration are that no setting names
  /// @param temperature    of the texts to generate: calibration results depend on it
  /// @param quick_costs    where costs on this machine come from that no artifact has; nullptr: nowhere
  /// @param notices        of what is loaded
  MethodTarget(const model::Model& model, engine::Engine& engine, artifacts::Folders folders,
               double temperature = 0, std::shared_ptr<cost::QuickCosts> quick_costs = nullptr,
               Notices notices = {})
      : model_(model),
        engine_(engine),
        folders_(std::move(folders)),
        temperature_(temperature),
        quick_costs_(std::move(quick_costs)),
        notices_(std::move(notices)),
        shared_(std::make_shared<Shared>()) {}

  /// The same for texts of another temperature: what one has loaded, the other need not load again.
  MethodTarget at(double temperature) const {
    MethodTarget other = *this;
    other.temperature_ = temperature;
    return other;
  }

  /// The same for texts of which so many are decoded at a time, in the same passes.
  MethodTarget together(int sequences) const {
    MethodTarget other = *this;
    other.sequences_ = sequences;
    return other;
  }

  const model::Model& model() const { return model_; }
  engine::Engine& engine() const { return engine_; }
  const artifacts::Folders& folders() const { return folders_; }
  double temperature() const { return temperature_; }
  int sequences() const { return sequences_; }
  cost::QuickCosts* quick_costs() const { return quick_costs_.get(); }
  /// Both tell a sentence once, however often they are called with it.
  void inform(const std::string& text) const { tell(notices_.inform, text); }
  void warn(const std::string& text) const { tell(notices_.warn, text); }
  const artifacts::TargetIdentity& identity() const {
    if (!shared_->identity) shared_->identity = artifacts::identity_of(model_);
    return *shared_->identity;
  }

  /// The object that `load()`, which returns a T, loaded under this name before, while it is still
  /// in use. Its size is what T::bytes() is at the time; a T without, such as files that are open, takes no memory worth
  /// counting.
  template <typename T, typename Load>
  std::shared_ptr<const T> load_once(const std::string& name, const Load& load) const {
    Loaded& known = shared_->loaded[{typeid(T), name}];
    if (auto before = known.object.lock()) return std::static_pointer_cast<const T>(before);
    auto made = std::make_shared<const T>(load());
    known.object = made;
    if constexpr (requires { made->bytes(); })
      known.bytes = [](const void* object) {
        return static_cast<std::int64_t>(static_cast<const T*>(object)->bytes());
      };
    return made;
  }
  /// The memory of all that was loaded and is in use: weights of drafters, tables, a user's own texts.
  std::int64_t loaded_bytes() const {
    std::int64_t bytes = 0;
    for (const auto& [name, loaded] : shared_->loaded)
      if (const auto object = loaded.object.lock(); object != nullptr && loaded.bytes != nullptr)
        bytes += loaded.bytes(object.get());
    return bytes;
  }

 private:
  void tell(const Notices::Tell& whom, const std::string& text) const {
    if (whom && shared_->told.insert(text).second) whom(text);
  }

  struct Loaded {
    std::weak_ptr<const void> object;
    std::int64_t (*bytes)(const void* object) = nullptr;
  };
  /// Of all copies.
  struct Shared {
    std::set<std::string> told;
    std::optional<artifacts::TargetIdentity> identity;
    std::map<std::pair<std::type_index, std::string>, Loaded> loaded;
  };

  const model::Model& model_;
  engine::Engine& engine_;
  artifacts::Folders folders_;
  double temperature_;
  int sequences_ = 1;
  std::shared_ptr<cost::QuickCosts> quick_costs_;
  Notices notices_;
  std::shared_ptr<Shared> shared_;
};

}  // namespace outrider::methods
