// SPDX-License-Identifier: Apache-2.0
#include "io/check/check_text.hpp"

#include <fmt/format.h>

namespace talus {

namespace {

std::string value_text(const Criterion& criterion, double value) {
  return criterion.unit.empty() ? fmt::format("{:.2e}", value)
                                : fmt::format("{:.2e} {}", value, criterion.unit);
}

}  // namespace

std::string criterion_line(const Criterion& criterion) {
  const char* const verdict = !criterion.passed()      ? "FAIL"
                              : criterion.checked == 0 ? "skip"
                                                       : "pass";
  std::string text = fmt::format("  {}  {:<14} {}", verdict, criterion.name, criterion.claim);
  if (criterion.checked == 0) return fmt::format("{}: skipped, {}", text, criterion.skipped);
  text += fmt::format(": worst {}, limit {}", value_text(criterion, criterion.worst),
                      value_text(criterion, criterion.limit));
  if (criterion.first_bad_step)
    text += fmt::format("; broken {} of {} times, first at step {}", criterion.violations,
                        criterion.checked, *criterion.first_bad_step);
  return text;
}

std::string integrity_line(const Integrity& integrity) {
  const std::string claim = "stored values match their checksums";
  if (!integrity.skipped.empty())
    return fmt::format("  skip  {:<14} {}: skipped, {}", "stored", claim, integrity.skipped);
  if (integrity.sound())
    return fmt::format("  pass  {:<14} {}: {} tables", "stored", claim, integrity.tables);
  return fmt::format("  FAIL  {:<14} {}: {}", "stored", claim, fmt::join(integrity.damaged, "; "));
}

std::vector<std::string> certificate_lines(const RunCheck& check, const Integrity& integrity) {
  std::vector<std::string> lines = {integrity_line(integrity)};
  for (const Criterion& criterion : check.criteria) lines.push_back(criterion_line(criterion));
  return lines;
}

std::string verdict(const RunCheck& check, const Integrity& integrity) {
  std::vector<std::string> failed, skipped;
  if (!integrity.sound()) failed.push_back("stored");
  if (!integrity.skipped.empty()) skipped.push_back("stored");
  for (const Criterion& criterion : check.criteria) {
    if (!criterion.passed()) failed.push_back(criterion.name);
    if (criterion.checked == 0) skipped.push_back(criterion.name);
  }
  const std::string text =
      failed.empty() ? "certified" : fmt::format("NOT CERTIFIED: {}", fmt::join(failed, ", "));
  return skipped.empty() ? text : fmt::format("{} (skipped: {})", text, fmt::join(skipped, ", "));
}

}  // namespace talus
