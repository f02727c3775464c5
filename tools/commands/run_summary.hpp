// SPDX-License-Identifier: Apache-2.0
// Summary at the end of a run, as text and as JSON. It warns if steps violate the limits of `talus
// check`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/model/scene.hpp"
#include "engine/step/ledger.hpp"
#include "tools/commands/watch.hpp"
#include "tools/terminal/json.hpp"

namespace talus {

class RunSummary {
 public:
  RunSummary(double tolerance, const CertificateLimits& limits)
      : tolerance_(tolerance), limits_(limits) {}

  void add(const Certificate& step);

  std::int64_t steps() const { return steps_; }
  const Certificate& last() const { return last_; }

  std::vector<std::string> warnings() const;
  std::string figures() const;  // one line
  const Watch& watch() const { return watch_; }
  void add_to(JsonObject& json) const;

 private:
  struct Steps {
    std::int64_t count = 0, first = 0;

    void add(const Certificate& step) {
      if (++count == 1) first = step.step;
    }
  };

  double tolerance_;
  CertificateLimits limits_;
  std::int64_t steps_ = 0;
  Steps missed_, deep_, passed_through_, inadmissible_;
  Watch watch_;
  double error_ = 0, worst_contact_ = 0;
  double penetration_ = 0, relative_penetration_ = 0;
  double defect_ = 0;  // largest, relative to the energy turned over in its step
  Certificate last_;
};

}  // namespace talus
