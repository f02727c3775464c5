// SPDX-License-Identifier: Apache-2.0
#include "solvers/climb/second_solution.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "solvers/climb/run_solver.hpp"
#include "solvers/problem/contact_error.hpp"

namespace talus {

namespace {

// Each look assembles and factorises W a few times.
constexpr std::size_t most_contacts = 4000;

// Answers are compared that are exact to 1e-10. Where a law holds only just (a contact about to
// slide), velocities are as good as the root of that, 1e-5; a difference of 1e-4 is another answer.
constexpr SolveOptions exactly{.tolerance = 1e-10, .max_sweeps = 2000};
constexpr double other_answer = 1e-4;

// Velocities are unique without friction: −û ∈ N_K(p) with K convex and W symmetric.
template <int D>
bool has_friction(const ContactProblem<D>& problem) {
  for (const Coulomb<D>& law : problem.law)
    if (law.mu > 0 || law.cohesion > 0) return true;
  for (const LinearRow<D>& row : problem.rows)
    if (row.has_friction()) return true;
  return false;
}

template <int D>
Percussions<D> no_percussions(const ContactProblem<D>& problem) {
  return {std::vector<Vec<D>>(problem.size(), Vec<D>::Zero()),
          std::vector<double>(problem.rows.size(), 0.0)};
}

template <int D>
double dot(std::span<const Vec<D>> a, std::span<const Vec<D>> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i].dot(b[i]);
  return sum;
}

// Every contact held where it is, whichever way that takes: W p = −b by conjugate gradients, then
// put into the cones. Jammed states lie near. Compliances and rows are left to the solver.
template <int D>
Percussions<D> stuck(const ContactProblem<D>& problem) {
  constexpr int most_iterations = 100;
  Percussions<D> p = no_percussions(problem);
  std::vector<Vec<D>> residual;  // −û
  for (const Vec<D>& b : problem.b) residual.push_back(-b);
  Percussions<D> direction{residual, p.row};
  double squares = dot<D>(residual, residual);
  const double enough = 1e-20 * squares;
  for (int k = 0; k < most_iterations && squares > enough; ++k) {
    std::vector<Vec<D>> W_direction = velocities(problem, direction).contact;
    for (std::size_t i = 0; i < problem.size(); ++i) W_direction[i] -= problem.b[i];
    const double curvature = dot<D>(direction.contact, W_direction);
    if (!(curvature > 0)) break;
    const double step = squares / curvature;
    for (std::size_t i = 0; i < problem.size(); ++i) {
      p.contact[i] += step * direction.contact[i];
      residual[i] -= step * W_direction[i];
    }
    const double next = dot<D>(residual, residual);
    for (std::size_t i = 0; i < problem.size(); ++i)
      direction.contact[i] = residual[i] + next / squares * direction.contact[i];
    squares = next;
  }
  for (std::size_t i = 0; i < problem.size(); ++i)
    p.contact[i] = problem.law[i].project(p.contact[i]);
  return p;
}

template <int D>
struct Answer {
  Percussions<D> p;
  Velocities<D> u;
};

// If this method gets there from this start.
template <int D>
std::optional<Answer<D>> answer(const ContactProblem<D>& problem, Method method, Percussions<D> p) {
  auto ladder = std::make_unique<LadderSolver<D>>(method, exactly);
  if (has_joints<D>(problem)) {
    JointSolver<D>(exactly, std::move(ladder)).solve(problem, p);
  } else {
    ladder->solve(problem, p);
  }
  if (!(contact_error(problem, p).relative <= exactly.tolerance)) return {};
  Velocities<D> u = velocities(problem, p);
  return Answer<D>{std::move(p), std::move(u)};
}

template <int D>
double difference(const Velocities<D>& a, const Velocities<D>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.contact.size(); ++i)
    largest = std::max(largest, (a.contact[i] - b.contact[i]).norm());
  for (std::size_t i = 0; i < a.row.size(); ++i)
    largest = std::max(largest, std::abs(a.row[i] - b.row[i]));
  return largest;
}

// Against what velocities are told apart: the largest at a contact that closes by itself or carries
// force.
template <int D>
double scale(const ContactProblem<D>& problem, const Answer<D>& one, const Answer<D>& other) {
  double largest = problem.velocity_floor;
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const Vec<D>& b = problem.b[i];
    if (b[0] <= 0 || one.p.contact[i][0] > 0 || other.p.contact[i][0] > 0)
      largest = std::max(largest, b.norm());
  }
  return largest;
}

}  // namespace

template <int D>
SecondSolution look_for_second_solution(const ContactProblem<D>& problem, const Percussions<D>& p) {
  if (!has_friction(problem)) return {Solutions::one_found, 0};
  if (problem.size() > most_contacts || problem.has_moments()) return {};
  std::optional<Answer<D>> first = answer(problem, Method::automatic, p);
  const Percussions<D> zero = no_percussions(problem);
  SecondSolution result;
  const auto is_another = [&](Method method, const Percussions<D>& start) {
    const std::optional<Answer<D>> other = answer(problem, method, start);
    if (!other) return false;
    if (!first) {
      first = other;
      return false;
    }
    result.found = Solutions::one_found;
    const double apart = difference(first->u, other->u);
    if (apart <= other_answer * scale(problem, *first, *other)) return false;
    result = {Solutions::several, apart};
    return true;
  };
  for (const Method method : {Method::interior_point, Method::newton, Method::admm})
    if (is_another(method, zero)) return result;
  is_another(Method::newton, stuck(problem));
  return result;
}

template SecondSolution look_for_second_solution<2>(const ContactProblem<2>&,
                                                    const Percussions<2>&);
template SecondSolution look_for_second_solution<3>(const ContactProblem<3>&,
                                                    const Percussions<3>&);

}  // namespace talus
