// What a run has certified of itself when it ends, in words and as JSON. A run whose steps break
// what `talus check` asks for says so without being asked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/ledger.hpp"
#include "engine/scene.hpp"
#include "tools/json.hpp"
#include "tools/watch.hpp"

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
  double defect_ = 0;  // of the energy turned over in its step
  Certificate last_;
};

}  // namespace talus
