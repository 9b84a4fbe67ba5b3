#include "index/report_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/file.h"

namespace culprit {

PointReport read_point_report(const std::filesystem::path& path) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  PointReport report{};
  size_t at = 0;
  const auto take = [&](void* to, size_t count) {
    if (bytes.size() - at < count) return false;
    std::memcpy(to, bytes.data() + at, count);
    at += count;
    return true;
  };
  if (!take(&report.head, sizeof report.head)) throw CorruptData(path, 0, "a report of points has no head");
  if (report.head.version != format::kPointsVersion || static_cast<uint32_t>(report.head.kind) >= format::kPointKinds) {
    throw CorruptData(path, 0, "a report of points has another version");
  }
  if (report.head.form == format::ReportForm::kHashes) {
    report.hashes.resize((bytes.size() - at) / sizeof(uint64_t));
    take(report.hashes.data(), report.hashes.size() * sizeof(uint64_t));
    while (!report.hashes.empty() && report.hashes.back() == 0) report.hashes.pop_back();
    return report;
  }
  for (format::ReportedPoint point{}; take(&point, sizeof point);) {
    if (point.site == 0 || point.words > (bytes.size() - at) / sizeof(uint64_t)) break;
    ReportedId& id = report.ids.emplace_back();
    id.site = point.site;
    if (point.has_value != 0) id.value = point.value;
    id.words.resize(point.words);
    take(id.words.data(), point.words * sizeof(uint64_t));
  }
  return report;
}

std::string points_variable(uint64_t limit, format::ReportForm form, const std::filesystem::path& path) {
  return fmt::format("{} {} {}", limit, static_cast<uint32_t>(form), path.string());
}

uint64_t count_clashes(std::vector<uint64_t> hashes) {
  std::sort(hashes.begin(), hashes.end());
  return static_cast<uint64_t>(hashes.end() - std::unique(hashes.begin(), hashes.end()));
}

}  // namespace culprit
