#include "runtime/artifacts/draft_grid.h"

#include <fmt/core.h>

#include <cctype>
#include <cmath>

namespace outrider::artifacts {
namespace {

constexpr int kMost = 256;  // drafts, or tokens of one

DraftGrid::Cell best_of(const DraftGrid& grid, int least_drafts) {
  DraftGrid::Cell best;
  for (std::size_t i = 0; i < grid.size(); ++i) {
    const DraftGrid::Cell cell = grid.cell(i);
    if (cell.drafts >= least_drafts && cell.tokens_per_second > best.tokens_per_second) best = cell;
  }
  return best;
}

std::vector<std::int32_t> read_counts(const hdf5::Reader& file, const std::string& path,
                                      int least) {
  const auto counts = file.read<std::int32_t>(path, {hdf5::Reader::kAny});
  if (counts.empty() || counts.size() > kMost) file.refuse(path, "has no sensible length");
  for (const std::int32_t one : counts)
    if (one < least || one > kMost)
      file.refuse(path, fmt::format("expected {} to {}, found {}", least, kMost, one));
  return counts;
}

}  // namespace

std::string machine_group(const std::string& what, const std::string& machine) {
  std::string name;
  for (const char c : machine) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.';
    if (plain || (!name.empty() && name.back() != '-')) name += plain ? c : '-';
  }
  return what + "/" + name;
}

std::string draft_grid_group(const std::string& machine) {
  return machine_group("/ngrammys_grid", machine);
}

DraftGrid::Cell DraftGrid::cell(std::size_t i) const {
  return {drafts[i / draft_lengths.size()], draft_lengths[i % draft_lengths.size()],
          tokens_per_pass[i], drafted_per_pass[i], tokens_per_second[i]};
}

DraftGrid::Cell DraftGrid::best() const { return best_of(*this, 0); }
DraftGrid::Cell DraftGrid::best_drafting() const { return best_of(*this, 1); }

std::string verdict(const DraftGrid& grid) {
  const auto text = [](const DraftGrid::Cell& cell) {
    return fmt::format("--drafts {} --draft-length {} ({:.0f} tokens/s, {:.2f} tokens per pass)",
                       cell.drafts, cell.draft_length, cell.tokens_per_second,
                       cell.tokens_per_pass);
  };
  const DraftGrid::Cell best = grid.best();
  if (best.drafts > 0) return "ngrammys " + text(best);
  return fmt::format(
      "plain decoding (ar, {:.0f} tokens/s): no drafts of ngrammys are worth it here; "
      "the best of them: {}",
      best.tokens_per_second, text(grid.best_drafting()));
}

void write_draft_grid(const DraftGrid& grid, hdf5::Writer& file, const std::string& group) {
  const hdf5::Dims dims = {grid.drafts.size(), grid.draft_lengths.size()};
  file.add_number<std::int32_t>(group + "/threads", grid.threads);
  file.add_number<std::int32_t>(group + "/context", grid.context);
  file.add<std::int32_t>(group + "/drafts", {dims[0]}, grid.drafts, hdf5::Packing::kPlain);
  file.add<std::int32_t>(group + "/draft_lengths", {dims[1]}, grid.draft_lengths,
                         hdf5::Packing::kPlain);
  file.add<double>(group + "/tokens_per_pass", dims, grid.tokens_per_pass, hdf5::Packing::kPlain);
  file.add<double>(group + "/drafted_per_pass", dims, grid.drafted_per_pass, hdf5::Packing::kPlain);
  file.add<double>(group + "/tokens_per_second", dims, grid.tokens_per_second,
                   hdf5::Packing::kPlain);
  file.add_text(group + "/fastest", verdict(grid));  // for people
}

DraftGrid read_draft_grid(const hdf5::Reader& file, const std::string& group) {
  DraftGrid grid;
  grid.threads = file.read_number<std::int32_t>(group + "/threads");
  grid.context = file.read_number<std::int32_t>(group + "/context");
  grid.drafts = read_counts(file, group + "/drafts", 0);
  grid.draft_lengths = read_counts(file, group + "/draft_lengths", 1);
  const hdf5::Dims dims = {grid.drafts.size(), grid.draft_lengths.size()};
  grid.tokens_per_pass = file.read<double>(group + "/tokens_per_pass", dims);
  grid.drafted_per_pass = file.read<double>(group + "/drafted_per_pass", dims);
  grid.tokens_per_second = file.read<double>(group + "/tokens_per_second", dims);
  for (const double rate : grid.tokens_per_second)
    if (!(rate > 0) || std::isinf(rate)) file.refuse(group + "/tokens_per_second", "holds no rate");
  if (grid.best_drafting().drafts == 0) file.refuse(group + "/drafts", "has no drafts at all");
  return grid;
}

}  // namespace outrider::artifacts
