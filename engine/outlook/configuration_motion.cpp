// SPDX-License-Identifier: Apache-2.0
#include "engine/outlook/configuration_motion.hpp"

#include <algorithm>

namespace talus {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The freedoms of the bodies that constraints act on, dense.
template <int D>
class Freedoms {
 public:
  explicit Freedoms(const ActiveConstraints<D>& active) : mass_(active.mass) {
    first_.assign(mass_.size(), -1);
    for (const auto* rows : {&active.rows.normal_b, &active.rows.normal_u})
      for (const LinearRow<D>& row : *rows)
        for (const int body : {row.a, row.b}) add(at(body));
  }

  Index count() const { return count_; }

  VectorXd gradient(const LinearRow<D>& row) const {
    VectorXd gradient = VectorXd::Zero(count_);
    add_part(row.a, -1, row.direction, row.moment_a, gradient);
    add_part(row.b, 1, row.direction, row.moment_b, gradient);
    return gradient;
  }

  MatrixXd mass_matrix() const {
    MatrixXd M = MatrixXd::Zero(count_, count_);
    for (std::size_t i = 0; i < first_.size(); ++i) {
      if (first_[i] < 0) continue;
      M.diagonal().segment<D>(first_[i]).setConstant(1 / mass_[i].inverse_mass);
      if (turns(i))
        M.block<spins, spins>(first_[i] + D, first_[i] + D) = mass_[i].inverse_inertia.inverse();
    }
    return M;
  }

  VectorXd vector(std::span<const Twist<D>> twists) const {
    VectorXd x(count_);
    for (std::size_t i = 0; i < first_.size(); ++i) {
      if (first_[i] < 0) continue;
      x.segment<D>(first_[i]) = twists[i].v;
      if (turns(i)) x.segment<spins>(first_[i] + D) = twists[i].omega;
    }
    return x;
  }

 private:
  static constexpr int spins = spin_dim<D>;

  bool turns(std::size_t body) const { return !mass_[body].inverse_inertia.isZero(0); }

  void add(std::size_t body) {
    if (first_[body] >= 0 || !(mass_[body].inverse_mass > 0)) return;
    first_[body] = count_;
    count_ += turns(body) ? D + spins : D;
  }

  void add_part(int body, double sign, const Vec<D>& direction, const Spin<D>& moment,
                VectorXd& gradient) const {
    const Index first = first_[at(body)];
    if (first < 0) return;
    gradient.segment<D>(first) += sign * direction;
    if (turns(at(body))) gradient.segment<spins>(first + D) += sign * moment;
  }

  const std::vector<MassBlock<D>>& mass_;
  std::vector<Index> first_;
  Index count_ = 0;
};

// Closed constraints as equalities, friction that slides as a load.
template <int D>
class Closed {
 public:
  Closed(const ActiveConstraints<D>& active, const Freedoms<D>& freedoms, const VectorXd& free)
      : active_(active), freedoms_(freedoms), free_(free), load_(VectorXd::Zero(free.size())) {}

  void add(const ConstraintSet& set, const std::vector<LinearRow<D>>& normal,
           const std::vector<LinearRow<D>>& tangent, const std::vector<ContactMode>& modes,
           const VectorXd& forces) {
    for (Index i = 0; i < set.size(); ++i) {
      const ContactMode mode = modes[static_cast<std::size_t>(i)];
      if (mode == ContactMode::detach) continue;
      add_row(normal[static_cast<std::size_t>(i)], set.w_normal[i]);
      for (int k = 0; k < D - 1; ++k) {
        const Index t = i * (D - 1) + k;
        const LinearRow<D>& row = tangent[static_cast<std::size_t>(t)];
        if (mode == ContactMode::stick)
          add_row(row, set.w_tangent[t]);
        else
          load_ += forces[t] * freedoms_.gradient(row);
      }
    }
  }

  ConstrainedSystem system() const {
    const auto m = static_cast<Index>(rows_.size());
    ConstrainedSystem system{freedoms_.mass_matrix(), MatrixXd(m, free_.size()), {}, VectorXd(m)};
    for (Index i = 0; i < m; ++i) {
      system.A.row(i) = rows_[static_cast<std::size_t>(i)];
      system.c[i] = rates_[static_cast<std::size_t>(i)];
    }
    system.Q = system.M * free_ + load_;
    return system;
  }

 private:
  // w = A q̈* + c
  void add_row(const LinearRow<D>& row, double w) {
    rows_.push_back(freedoms_.gradient(row));
    rates_.push_back(w - rows_.back().dot(free_));
  }

  const ActiveConstraints<D>& active_;
  const Freedoms<D>& freedoms_;
  const VectorXd& free_;
  VectorXd load_;
  std::vector<VectorXd> rows_;
  std::vector<double> rates_;
};

}  // namespace

template <int D>
std::vector<Twist<D>> accelerations(const ActiveConstraints<D>& active,
                                    const ModeSolution& solution) {
  std::vector<Twist<D>> a = active.free;
  const auto apply = [&](const std::vector<LinearRow<D>>& rows, const VectorXd& forces) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      apply_percussion<D>(rows[i], forces[static_cast<Index>(i)], active.mass, a);
  };
  apply(active.rows.normal_b, solution.normal_b);
  apply(active.rows.normal_u, solution.normal_u);
  apply(active.rows.tangent_b, solution.tangent_b);
  apply(active.rows.tangent_u, solution.tangent_u);
  const VectorXd massless = solution.acceleration.tail(active.system.massless);
  for (std::size_t j = 0; j < active.massless.size(); ++j) {
    const auto& [body, k] = active.massless[j];
    (k < D ? a[body].v[k] : a[body].omega[k - D]) = massless[static_cast<Index>(j)];
  }
  return a;
}

template <int D>
std::optional<Formulations> other_formulations(const ActiveConstraints<D>& active,
                                               const ModeSolution& solution, Index most_freedoms) {
  const Freedoms<D> freedoms(active);
  if (freedoms.count() == 0 || freedoms.count() > most_freedoms) return std::nullopt;
  if (!active.massless.empty()) return std::nullopt;  // the projection needs M > 0
  const VectorXd free = freedoms.vector(active.free);
  const VectorXd q = freedoms.vector(accelerations<D>(active, solution));
  const ConstraintSet &b = active.system.bilateral, &u = active.system.unilateral;

  Closed<D> joints(active, freedoms, free);
  joints.add(b, active.rows.normal_b, active.rows.tangent_b, solution.bilateral,
             solution.tangent_b);
  Closed<D> closed = joints;
  closed.add(u, active.rows.normal_u, active.rows.tangent_u, solution.unilateral,
             solution.tangent_u);
  const ConstrainedSystem system = closed.system();
  const auto kkt = by_kkt(system);
  std::optional<VectorXd> gauss;
  const bool smooth = (u.size() == 0 || u.friction.maxCoeff() == 0);
  if (smooth) {
    MatrixXd B(u.size(), free.size());
    VectorXd d(u.size());
    for (Index i = 0; i < u.size(); ++i) {
      B.row(i) = freedoms.gradient(active.rows.normal_u[static_cast<std::size_t>(i)]);
      d[i] = u.w_normal[i] - B.row(i).dot(free);
    }
    gauss = by_gauss(joints.system(), B, d);
  } else if (const auto motion = by_gauss(system)) {
    gauss = motion->acceleration;
  }
  if (!kkt || !gauss) return std::nullopt;
  const double size = std::max(q.cwiseAbs().maxCoeff(), free.cwiseAbs().maxCoeff());
  const auto apart = [&](const VectorXd& other) {
    return size > 0 ? (other - q).cwiseAbs().maxCoeff() / size : 0;
  };
  return Formulations{apart(kkt->acceleration), apart(*gauss),
                      apart(by_projection(system).acceleration)};
}

#define TALUS_INSTANTIATE(D)                                                              \
  template std::vector<Twist<D>> accelerations<D>(const ActiveConstraints<D>&,            \
                                                  const ModeSolution&);                   \
  template std::optional<Formulations> other_formulations<D>(const ActiveConstraints<D>&, \
                                                             const ModeSolution&, Eigen::Index);
TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
