#include "calibrate/ngrammys/ngrammys_figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "runtime/artifacts/curve.h"

namespace outrider::calibrate {
namespace {

constexpr std::size_t kMostNames = 1 << 12;  // bytes

/// One name a line.
void write_names(const std::vector<std::string>& names, hdf5::Writer& file,
                 const std::string& path) {
  file.add_text(path, fmt::format("{}", fmt::join(names, "\n")));
}

std::vector<std::string> read_names(const hdf5::Reader& file, const std::string& path) {
  std::istringstream text(file.read_text(path, kMostNames));
  std::vector<std::string> names;
  for (std::string name; std::getline(text, name);) names.push_back(name);
  if (names.empty()) file.refuse(path, "holds no name");
  return names;
}

/// @param rows  all of one length
void write_rows(const std::vector<std::vector<double>>& rows, hdf5::Writer& file,
                const std::string& path) {
  std::vector<double> all;
  for (const std::vector<double>& row : rows) all.insert(all.end(), row.begin(), row.end());
  file.add<double>(path, {rows.size(), rows.front().size()}, all, hdf5::Packing::kPlain);
}

std::vector<std::vector<double>> read_rows(const hdf5::Reader& file, const std::string& path,
                                           std::size_t rows, std::size_t columns) {
  const std::vector<double> all = artifacts::read_curve(file, path, {rows, columns});
  std::vector<std::vector<double>> found;
  for (auto at = all.begin(); at != all.end(); at += static_cast<std::ptrdiff_t>(columns))
    found.emplace_back(at, at + static_cast<std::ptrdiff_t>(columns));
  return found;
}

std::size_t read_count(const hdf5::Reader& file, const std::string& path) {
  constexpr int kMost = 256;  // drafts, or tokens of one
  const auto count = file.read_number<std::int32_t>(path);
  if (count < 1 || count > kMost)
    file.refuse(path, fmt::format("expected 1 to {}, found {}", kMost, count));
  return static_cast<std::size_t>(count);
}

void write_curves(const DraftCurves& curves, hdf5::Writer& file, const std::string& group) {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;
  for (const auto& [name, curve] : curves.curves) {
    names.push_back(name);
    values.push_back(curve);
  }
  const std::vector<std::int32_t> drafts(curves.drafts.begin(), curves.drafts.end());
  file.add<std::int32_t>(group + "/drafts", {drafts.size()}, drafts, hdf5::Packing::kPlain);
  write_names(names, file, group + "/names");
  write_rows(values, file, group + "/tokens_per_pass");
}

DraftCurves read_curves(const hdf5::Reader& file, const std::string& group) {
  DraftCurves found;
  found.drafts = file.read<std::int32_t>(group + "/drafts", {hdf5::Reader::kAny});
  if (found.drafts.empty()) file.refuse(group + "/drafts", "holds no number");
  const auto names = read_names(file, group + "/names");
  auto values = read_rows(file, group + "/tokens_per_pass", names.size(), found.drafts.size());
  for (std::size_t i = 0; i < names.size(); ++i)
    found.curves.emplace_back(names[i], std::move(values[i]));
  return found;
}

void write_uses(const DraftUses& uses, hdf5::Writer& file, const std::string& group) {
  std::vector<std::string> names;
  for (const SourceUse& source : uses.sources) names.push_back(source.name);
  const auto write = [&](const char* name, std::vector<double> SourceUse::*shares) {
    std::vector<std::vector<double>> rows;
    for (const SourceUse& source : uses.sources) rows.push_back(source.*shares);
    write_rows(rows, file, group + name);
  };
  file.add_number<std::int32_t>(group + "/drafts", uses.drafts);
  file.add_number<std::int32_t>(group + "/draft_length", uses.draft_length);
  write_names(names, file, group + "/sources");
  write("/by_length", &SourceUse::by_length);
  write("/by_rank", &SourceUse::by_rank);
  write("/by_drafts", &SourceUse::by_drafts);
}

DraftUses read_uses(const hdf5::Reader& file, const std::string& group) {
  const std::size_t drafts = read_count(file, group + "/drafts");
  const std::size_t length = read_count(file, group + "/draft_length");
  DraftUses found{static_cast<int>(drafts), static_cast<int>(length), {}};
  for (const std::string& name : read_names(file, group + "/sources"))
    found.sources.push_back({name, {}, {}, {}});
  const auto read = [&](const char* name, std::size_t columns,
                        std::vector<double> SourceUse::*shares) {
    auto rows = read_rows(file, group + name, found.sources.size(), columns);
    for (std::size_t i = 0; i < rows.size(); ++i) found.sources[i].*shares = std::move(rows[i]);
  };
  read("/by_length", length, &SourceUse::by_length);
  read("/by_rank", drafts, &SourceUse::by_rank);
  read("/by_drafts", drafts + 1, &SourceUse::by_drafts);
  return found;
}

}  // namespace

void write_ngrammys_figures(const NgrammysFigures& figures, hdf5::Writer& file,
                            const std::string& group) {
  write_curves(figures.curves, file, group + "/curves");
  write_uses(figures.uses, file, group + "/uses");
}

NgrammysFigures read_ngrammys_figures(const hdf5::Reader& file, const std::string& group) {
  return {read_curves(file, group + "/curves"), read_uses(file, group + "/uses")};
}

}  // namespace outrider::calibrate
