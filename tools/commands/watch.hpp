// SPDX-License-Identifier: Apache-2.0
// Results of the monitor of a scene, with the same text after `talus run` and in `talus check`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/step/ledger.hpp"
#include "tools/terminal/json.hpp"

namespace talus {

class Watch {
 public:
  void add(const Certificate& step);

  std::vector<std::string> lines() const;  // empty if nothing was tested
  void add_to(JsonObject& json) const;

 private:
  struct Steps {
    std::int64_t count = 0, first = 0;
    double first_time = 0;

    void add(const Certificate& step);
  };

  Steps watched_, not_unique_, paradoxical_;  // by ContactRegion
  Steps solved_again_, undecided_, several_;  // by Solutions
  double largest_difference_ = 0;             // of two solutions [m/s]
};

}  // namespace talus
