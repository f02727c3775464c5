// SPDX-License-Identifier: Apache-2.0
// One step of the pair of orders 5 and 4 of Dormand and Prince (J. Comp. Appl. Math. 6, 1980), for
// an autonomous system y' = f(y).
#pragma once

#include <Eigen/Core>
#include <array>

namespace talus {

class DormandPrince {
 public:
  // y after a step h from y₀, where f(y₀) = slope(): set that first with begin(). The two orders
  // differ by error().
  template <class Slope>
  const Eigen::VectorXd& step(const Eigen::VectorXd& y, double h, Slope&& f) {
    auto& [k1, k2, k3, k4, k5, k6, k7] = k_;
    f(stage_ = y + h * (k1 / 5), k2);
    f(stage_ = y + h * (3.0 / 40 * k1 + 9.0 / 40 * k2), k3);
    f(stage_ = y + h * (44.0 / 45 * k1 - 56.0 / 15 * k2 + 32.0 / 9 * k3), k4);
    f(stage_ = y + h * (19372.0 / 6561 * k1 - 25360.0 / 2187 * k2 + 64448.0 / 6561 * k3 -
                        212.0 / 729 * k4),
      k5);
    f(stage_ = y + h * (9017.0 / 3168 * k1 - 355.0 / 33 * k2 + 46732.0 / 5247 * k3 +
                        49.0 / 176 * k4 - 5103.0 / 18656 * k5),
      k6);
    after_ = y + h * (35.0 / 384 * k1 + 500.0 / 1113 * k3 + 125.0 / 192 * k4 - 2187.0 / 6784 * k5 +
                      11.0 / 84 * k6);
    f(after_, k7);
    error_ = h * (71.0 / 57600 * k1 - 71.0 / 16695 * k3 + 71.0 / 1920 * k4 - 17253.0 / 339200 * k5 +
                  22.0 / 525 * k6 - 1.0 / 40 * k7);
    return after_;
  }

  template <class Slope>
  void begin(const Eigen::VectorXd& y, Slope&& f) {
    for (Eigen::VectorXd& k : k_) k.resize(y.size());
    f(y, k_.front());
  }
  void go_on() { k_.front().swap(k_.back()); }  // the last slope is the next step's first

  // Slopes at both ends of the last step, before go_on().
  const Eigen::VectorXd& slope_before() const { return k_.front(); }
  const Eigen::VectorXd& slope_after() const { return k_.back(); }

  const Eigen::VectorXd& after() const { return after_; }
  const Eigen::VectorXd& error() const { return error_; }

 private:
  std::array<Eigen::VectorXd, 7> k_;
  Eigen::VectorXd stage_, after_, error_;
};

}  // namespace talus
