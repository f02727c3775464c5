// SPDX-License-Identifier: Apache-2.0
#include "solvers/complementarity/cone_program.hpp"

#include <Eigen/Cholesky>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "solvers/math/index.hpp"
#include "solvers/problem/lorentz.hpp"

namespace talus {

namespace {

using Vector = Eigen::VectorXd;
using Sparse = Eigen::SparseMatrix<double>;

// Added to the diagonal, and taken out again by refinement: E may have dependent rows, and late
// pivots are small beside the rounding of what they are differences of.
constexpr double absolute_shift = 1e-12, least_relative_shift = 1e-14,
                 largest_relative_shift = 1e-8;
constexpr int most_entries = 12;  // of a column of F, those of two bodies
constexpr int most_refinements = 8;
constexpr int patience = 12;  // iterations without gain

// The product of cones: what is done cone by cone.
template <int D>
class Cones {
 public:
  explicit Cones(const std::vector<int>& sizes) : sizes_(sizes) {
    for (const int size : sizes) {
      assert((size == 1 || size == D) && "half-lines and cones of D dimensions");
      start_.push_back(length_);
      length_ += size;
    }
  }

  std::size_t count() const { return sizes_.size(); }
  Eigen::Index length() const { return length_; }
  Eigen::Index start(std::size_t i) const { return start_[i]; }
  bool is_line(std::size_t i) const { return sizes_[i] == 1; }
  Vec<D> part(const Vector& x, std::size_t i) const { return x.segment<D>(start_[i]); }

  Vector unit() const {
    Vector e = Vector::Zero(length_);
    for (const Eigen::Index first : start_) e[first] = 1;
    return e;
  }
  // Product ∘ and its inverse, component by component on half-lines.
  Vector product(const Vector& a, const Vector& b) const {
    Vector c(length_);
    for (std::size_t i = 0; i < count(); ++i) {
      if (is_line(i))
        c[start_[i]] = a[start_[i]] * b[start_[i]];
      else
        c.segment<D>(start_[i]) = Lorentz<D>::product(part(a, i), part(b, i));
    }
    return c;
  }
  Vector quotient(const Vector& c, const Vector& a) const {
    Vector b(length_);
    for (std::size_t i = 0; i < count(); ++i) {
      if (is_line(i))
        b[start_[i]] = c[start_[i]] / a[start_[i]];
      else
        b.segment<D>(start_[i]) = Lorentz<D>::quotient(part(c, i), part(a, i));
    }
    return b;
  }
  double longest_step(const Vector& x, const Vector& d) const {
    double alpha = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < count(); ++i) {
      if (!is_line(i))
        alpha = std::min(alpha, Lorentz<D>::longest_step(part(x, i), part(d, i)));
      else if (d[start_[i]] < 0)
        alpha = std::min(alpha, -x[start_[i]] / d[start_[i]]);
    }
    return alpha;
  }

  // W and W⁻¹ with W x = W⁻¹ s. False where x or s is not inside its cone to rounding.
  bool scale(const Vector& x, const Vector& s) {
    W_.resize(count());
    W_inverse_.resize(count());
    for (std::size_t i = 0; i < count(); ++i) {
      if (is_line(i)) {
        const double w = std::sqrt(s[start_[i]] / x[start_[i]]);
        if (!(w > 0) || !std::isfinite(w)) return false;
        W_[i](0, 0) = w;
        W_inverse_[i](0, 0) = 1 / w;
        continue;
      }
      const Vec<D> x_i = part(x, i), s_i = part(s, i);
      if (!(Lorentz<D>::determinant(x_i) > 0 && Lorentz<D>::determinant(s_i) > 0)) return false;
      Lorentz<D>::scaling(x_i, s_i, W_[i], W_inverse_[i]);
      if (!W_[i].allFinite() || !W_inverse_[i].allFinite()) return false;
    }
    return true;
  }
  Vector scaled(const Vector& x) const { return apply(W_, x); }            // W x
  Vector unscaled(const Vector& x) const { return apply(W_inverse_, x); }  // W⁻¹ x
  Sparse inverse_scaling() const {
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t i = 0; i < count(); ++i)
      for (int j = 0; j < sizes_[i]; ++j)
        for (int k = 0; k < sizes_[i]; ++k)
          entries.emplace_back(static_cast<int>(start_[i]) + j, static_cast<int>(start_[i]) + k,
                               W_inverse_[i](j, k));
    Sparse matrix(length_, length_);
    matrix.setFromTriplets(entries.begin(), entries.end());
    return matrix;
  }

 private:
  Vector apply(const std::vector<Mat<D>>& matrices, const Vector& x) const {
    Vector y(length_);
    for (std::size_t i = 0; i < count(); ++i) {
      if (is_line(i))
        y[start_[i]] = matrices[i](0, 0) * x[start_[i]];
      else
        y.segment<D>(start_[i]) = matrices[i] * part(x, i);
    }
    return y;
  }

  std::vector<int> sizes_;
  std::vector<Eigen::Index> start_;
  Eigen::Index length_ = 0;
  std::vector<Mat<D>> W_, W_inverse_;
};

struct Step {
  Vector v, y, x;
  Step& operator+=(const Step& other) {
    v += other.v;
    y += other.y;
    x += other.x;
    return *this;
  }
};

// Solves  E x + F y = b.v,  Fᵀv = b.y,  Eᵀv − W²x = b.x, by
//     N v + F y = b.v + E W⁻²b.x + ρ F b.y,  N = E W⁻²Eᵀ + ρ F Fᵀ.
// The term in ρ changes nothing, as Fᵀv = b.y, and makes N definite where joints alone hold a body.
// Dense columns of F, that of a live load, are left out of it.
template <int D>
class NewtonSystem {
 public:
  NewtonSystem(const ConeProgram& program, const Cones<D>& cones)
      : program_(program), cones_(cones), Et_(program.E.transpose()), Ft_(program.F.transpose()) {
    thin_ = Vector::Zero(program.F.cols());
    std::vector<Eigen::Triplet<double>> entries;
    for (Eigen::Index j = 0; j < program.F.cols(); ++j) {
      if (program.F.col(j).nonZeros() > most_entries) continue;
      thin_[j] = 1;
      for (Sparse::InnerIterator it(program.F, j); it; ++it)
        entries.emplace_back(static_cast<int>(it.row()), static_cast<int>(j), it.value());
    }
    Sparse thin(program.F.rows(), program.F.cols());
    thin.setFromTriplets(entries.begin(), entries.end());
    FFt_ = thin * Sparse(thin.transpose());
  }

  bool factorise() {
    const Sparse B = program_.E * cones_.inverse_scaling();  // E W⁻¹
    Sparse N = B * Sparse(B.transpose());
    Vector diagonal = N.diagonal();
    stiffness_ = std::max(diagonal.size() > 0 ? diagonal.maxCoeff() : 0, 1.0);
    if (FFt_.nonZeros() > 0) {
      N += stiffness_ * FFt_;
      diagonal = N.diagonal();
    }
    for (double relative = least_relative_shift; relative <= largest_relative_shift;
         relative *= 100) {
      Sparse shifted = N;
      Sparse shifts(N.rows(), N.rows());
      shifts.setIdentity();
      shifts.diagonal() = relative * diagonal.array() + absolute_shift;
      shifted += shifts;
      if (!analysed_) ldlt_.analyzePattern(shifted);
      analysed_ = true;
      ldlt_.factorize(shifted);
      if (ldlt_.info() == Eigen::Success && (ldlt_.vectorD().array() > 0).all()) return border();
    }
    return false;
  }

  // With steps of refinement against rounding, the shift, and the small pivots of late iterations.
  Step solve(const Step& b) const {
    Step z = reduced(b);
    double last = std::numeric_limits<double>::infinity();
    for (int k = 0; k < most_refinements; ++k) {
      const Step r = residual(b, z);
      const double size = std::sqrt(r.v.squaredNorm() + r.y.squaredNorm() + r.x.squaredNorm());
      if (!(size < 0.5 * last)) break;
      last = size;
      const Step change = reduced(r);
      if (!change.v.allFinite() || !change.x.allFinite()) break;
      z += change;
    }
    return z;
  }

  const Sparse& Et() const { return Et_; }
  const Sparse& Ft() const { return Ft_; }

 private:
  // The Schur complement FᵀN⁻¹F, in rows and columns of one size.
  bool border() {
    columns_ = ldlt_.solve(Eigen::MatrixXd(program_.F));
    Eigen::MatrixXd schur = Ft_ * columns_;
    border_scale_ = schur.diagonal().cwiseAbs().cwiseSqrt().unaryExpr(
        [](double size) { return size > 0 ? 1 / size : 1.0; });
    schur = border_scale_.asDiagonal() * schur * border_scale_.asDiagonal();
    border_.compute(schur);
    return schur.allFinite();
  }

  Step reduced(const Step& b) const {
    const Vector rhs = b.v + program_.E * cones_.unscaled(cones_.unscaled(b.x)) +
                       stiffness_ * (program_.F * thin_.cwiseProduct(b.y));
    const Vector free = ldlt_.solve(rhs);
    const Vector apart = border_scale_.cwiseProduct(Ft_ * free - b.y);
    Step step;
    step.y = border_scale_.cwiseProduct(Vector(border_.solve(apart)));
    step.v = free - columns_ * step.y;
    step.x = cones_.unscaled(cones_.unscaled(Et_ * step.v - b.x));
    return step;
  }
  Step residual(const Step& b, const Step& z) const {
    Step r;
    r.v = b.v - program_.E * z.x - program_.F * z.y;
    r.y = b.y - Ft_ * z.v;
    r.x = b.x - Et_ * z.v + cones_.scaled(cones_.scaled(z.x));
    return r;
  }

  const ConeProgram& program_;
  const Cones<D>& cones_;
  Sparse Et_, Ft_;
  Vector thin_;  // 1 for columns of F with few entries, whose F Fᵀ is sparse; else 0
  Sparse FFt_;   // of these
  double stiffness_ = 1;
  Eigen::SimplicialLDLT<Sparse> ldlt_;  // of N
  bool analysed_ = false;
  Eigen::MatrixXd columns_;  // N⁻¹F
  Vector border_scale_;
  Eigen::LDLT<Eigen::MatrixXd> border_;
};

// A point of the embedding: find (x, s, τ, κ) ≥ 0 and v, y with
//     E x + F y = load τ,  Fᵀv = price τ,  s + Eᵀv = cost τ,  κ = load·v − cost·x − price·y
// and x ∘ s = 0, τ κ = 0. τ > 0 is a solution of (1) and (2), κ > 0 the proof that there is none.
template <int D>
class Embedding {
 public:
  Embedding(const ConeProgram& program, const ConeOptions& options)
      : program_(program), options_(options), cones_(program.cones), newton_(program, cones_) {
    assert(program.E.cols() == cones_.length() && program.cost.size() == cones_.length());
    v_ = Vector::Zero(program.E.rows());
    y_ = Vector::Zero(program.F.cols());
    x_ = s_ = cones_.unit();
  }

  ConeSolution run() {
    ConeSolution best;
    best.error = std::numeric_limits<double>::infinity();
    double milestone = best.error;
    int since = 0;
    for (int iteration = 0; iteration < options_.iterations; ++iteration) {
      residuals();
      ConeSolution now = present();
      now.iterations = iteration;
      if (now.error < best.error) best = now;
      if (best.error <= options_.tolerance) break;
      if (best.error < 0.7 * milestone) {
        milestone = best.error;
        since = 0;
      } else if (++since > patience) {
        break;
      }
      if (!advance()) break;
    }
    if (best.error > options_.acceptable) best.verdict = ConeVerdict::open;
    return best;
  }

 private:
  void residuals() {
    r_.v = program_.E * x_ + program_.F * y_ - tau_ * program_.load;
    r_.y = newton_.Ft() * v_ - tau_ * program_.price;
    r_.x = s_ + newton_.Et() * v_ - tau_ * program_.cost;
    r_tau_ = kappa_ - program_.load.dot(v_) + program_.cost.dot(x_) + program_.price.dot(y_);
  }

  // What the present point says: an answer, or one of the proofs, whichever is nearer.
  ConeSolution present() const {
    ConeSolution now;
    const double primal = program_.cost.dot(x_) + program_.price.dot(y_);
    const double dual = program_.load.dot(v_);
    const auto part = [](double residual, double size) { return residual / (1 + size); };
    now.verdict = ConeVerdict::solved;
    now.primal = primal / tau_;
    now.dual = dual / tau_;
    now.error = std::max({part(r_.v.norm() / tau_, program_.load.norm()),
                          part(r_.y.norm() / tau_, program_.price.norm()),
                          part(r_.x.norm() / tau_, program_.cost.norm()),
                          part(std::abs(now.primal - now.dual),
                               std::min(std::abs(now.primal), std::abs(now.dual)))});
    double scale = 1 / tau_;
    if (dual > 0) {
      const double error = (r_.y + tau_ * program_.price).norm() / dual +
                           (r_.x + tau_ * program_.cost).norm() / dual;
      if (error < now.error) {
        now.verdict = ConeVerdict::infeasible;
        now.error = error;
        scale = 1 / dual;
      }
    }
    if (primal < 0) {
      const double error = (r_.v + tau_ * program_.load).norm() / -primal;
      if (error < now.error) {
        now.verdict = ConeVerdict::unbounded;
        now.error = error;
        scale = 1 / -primal;
      }
    }
    now.x = scale * x_;
    now.y = scale * y_;
    now.v = scale * v_;
    now.s = scale * s_;
    return now;
  }

  struct Direction {
    Step step;
    Vector s;
    double tau = 0, kappa = 0;
  };

  // The step for which residuals shrink by 1 − η, x ∘ s (scaled) changes by `target` and τ κ by
  // `target_tau`.
  Direction direction(const Step& constant, double eta, const Vector& target,
                      double target_tau) const {
    const Vector shifted = cones_.scaled(cones_.quotient(target, lambda_));
    const Step part = newton_.solve({-eta * r_.v, -eta * r_.y, -eta * r_.x - shifted});
    const auto value = [&](const Step& step) {
      return program_.cost.dot(step.x) + program_.price.dot(step.y) - program_.load.dot(step.v);
    };
    Direction d;
    d.tau = (-eta * r_tau_ - target_tau / tau_ - value(part)) / (value(constant) - kappa_ / tau_);
    d.step = {part.v + d.tau * constant.v, part.y + d.tau * constant.y,
              part.x + d.tau * constant.x};
    // From the linearised equation and not from the scaling, so that s + Eᵀv = cost τ stays exact.
    d.s = d.tau * program_.cost - newton_.Et() * d.step.v - eta * r_.x;
    d.kappa = (target_tau - kappa_ * d.tau) / tau_;
    return d;
  }

  double longest_step(const Direction& d) const {
    double alpha = std::min(cones_.longest_step(x_, d.step.x), cones_.longest_step(s_, d.s));
    if (d.tau < 0) alpha = std::min(alpha, -tau_ / d.tau);
    if (d.kappa < 0) alpha = std::min(alpha, -kappa_ / d.kappa);
    return alpha;
  }

  bool advance() {
    if (!cones_.scale(x_, s_)) return false;
    lambda_ = cones_.scaled(x_);
    if (!newton_.factorise()) return false;
    const double gap = (x_.dot(s_) + tau_ * kappa_) / static_cast<double>(cones_.count() + 1);
    const Step constant = newton_.solve({program_.load, program_.price, program_.cost});

    const Vector square = cones_.product(lambda_, lambda_);
    const Direction affine = direction(constant, 1, -square, -tau_ * kappa_);
    const double sigma = std::pow(1 - std::min(1.0, longest_step(affine)), 3);
    const Vector target = sigma * gap * cones_.unit() - square -
                          cones_.product(cones_.unscaled(affine.s), cones_.scaled(affine.step.x));
    const double target_tau = sigma * gap - tau_ * kappa_ - affine.tau * affine.kappa;
    const Direction d = direction(constant, 1 - sigma, target, target_tau);

    const double alpha = std::min(1.0, 0.99 * longest_step(d));
    if (!(alpha > 1e-9) || !d.step.v.allFinite()) return false;
    v_ += alpha * d.step.v;
    y_ += alpha * d.step.y;
    x_ += alpha * d.step.x;
    s_ += alpha * d.s;
    tau_ += alpha * d.tau;
    kappa_ += alpha * d.kappa;
    const double size = std::max(tau_, kappa_);  // of a homogeneous problem; kept near one
    for (Vector* const part : {&v_, &y_, &x_, &s_}) *part /= size;
    tau_ /= size;
    kappa_ /= size;
    return true;
  }

  const ConeProgram& program_;
  ConeOptions options_;
  Cones<D> cones_;
  NewtonSystem<D> newton_;
  Vector v_, y_, x_, s_, lambda_;
  double tau_ = 1, kappa_ = 1;
  Step r_;
  double r_tau_ = 0;
};

}  // namespace

template <int D>
ConeSolution solve_cone_program(const ConeProgram& program, const ConeOptions& options) {
  return Embedding<D>(program, options).run();
}

template ConeSolution solve_cone_program<2>(const ConeProgram&, const ConeOptions&);
template ConeSolution solve_cone_program<3>(const ConeProgram&, const ConeOptions&);

}  // namespace talus
