#include "train/workers/choose_exchange.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "runtime/base/error.h"
#include "runtime/base/json_text.h"
#include "train/workers/nccl_link.h"

namespace outrider::train {
namespace {

/// What each worker tells the others.
struct Offer {
  std::string wanted;
  std::string card;     // its own name in the world; empty: it trains on the processor
  std::string version;  // of NCCL; empty: it is not looked for or cannot be used
  std::string missing;  // why
};

nlohmann::json json_of(const Offer& offer) {
  return {{"wanted", offer.wanted},
          {"card", offer.card},
          {"version", offer.version},
          {"missing", offer.missing}};
}

Offer offer_in(const std::string& text) {
  const auto json = nlohmann::json::parse(text);
  return {json.at("wanted"), json.at("card"), json.at("version"), json.at("missing")};
}

std::vector<Offer> offers(Workers& workers, const Offer& mine) {
  std::vector<Offer> all;
  for (const std::string& text : workers.gather(json_text(json_of(mine))))
    all.push_back(offer_in(text));
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    if (all[rank].wanted != all.front().wanted)
      throw InputError(
          fmt::format("workers 0 and {} differ in --exchange: {} and {}; expected the same command",
                      rank, all.front().wanted, all[rank].wanted));
  return all;
}

/// Why the workers cannot exchange by NCCL, with the cure; empty: they can.
std::string obstacle(const std::vector<Offer>& all) {
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    if (all[rank].card.empty())
      return fmt::format("worker {} trains on the processor: give --device cuda", rank);
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    if (!all[rank].missing.empty()) return fmt::format("worker {}: {}", rank, all[rank].missing);
  for (std::size_t rank = 1; rank < all.size(); ++rank)
    if (all[rank].version != all.front().version)
      return fmt::format("workers 0 and {} have NCCL {} and {}: give the same in OUTRIDER_NCCL",
                         rank, all.front().version, all[rank].version);
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    for (std::size_t before = 0; before < rank; ++before)
      if (all[before].card == all[rank].card)
        return fmt::format(
            "workers {} and {} train on one card, {}, which NCCL refuses: give each its own by "
            "--device cuda:N or CUDA_VISIBLE_DEVICES, or start one worker a card",
            before, rank, all[rank].card);
  return {};
}

}  // namespace

std::string choose_exchange(Workers& workers, const std::string& wanted,
                            const TrainingDevice& device, double seconds) {
  const bool on_card = !device.gpu.empty();
  std::optional<NcclLibrary> library;
  if (wanted != "gloo" && on_card) library = load_nccl();
  Offer mine{wanted, on_card ? device.card : "", "", ""};
  if (library) mine.missing = library->missing;
  if (library && library->missing.empty()) mine.version = library->version_text();
  const std::vector<Offer> all = offers(workers, mine);
  const std::string by_gloo = "by Gloo, through the hosts' memory";
  if (wanted == "gloo") return by_gloo;
  if (const std::string reason = obstacle(all); !reason.empty()) {
    if (wanted == "nccl") throw InputError("--exchange nccl: " + reason);
    return on_card ? fmt::format("{}: {}", by_gloo, reason) : by_gloo;
  }
  workers.link_cards(link_by_nccl(workers, *library, device.device, seconds));
  return fmt::format("by NCCL {}, {}", library->version_text(), library->file);
}

}  // namespace outrider::train
