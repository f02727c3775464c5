// SPDX-License-Identifier: Apache-2.0
#include "solvers/problem/block_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "solvers/problem/contact_error.hpp"
#include "solvers/problem/factored.hpp"

namespace talus {

namespace {

// W of some unknowns of a rigid problem, in their order.
template <int D>
DelassusOperator<D> assemble(const ContactProblem<D>& problem, const RigidOperator<D>& rigid,
                             std::span<const int> members) {
  // Velocity of an unknown per twist of one of its bodies, u = Σ J (v, ω).
  using Jacobian = Matrix<D, D + spin_dim<D>>;
  struct Hold {  // an unknown on a body
    int unknown;
    Jacobian J, J_inverse_mass;
  };
  const int contacts = static_cast<int>(problem.size());
  const int n = static_cast<int>(members.size());
  std::unordered_map<int, int> place;  // of a body among those of these unknowns
  std::vector<std::vector<Hold>> holds;
  const auto hold = [&](int unknown, int body, const Jacobian& J) {
    const MassBlock<D>& mass = rigid.bodies[at(body)];
    if (!mass.moves()) return;
    Jacobian scaled;
    scaled.template leftCols<D>() = J.template leftCols<D>() * mass.inverse_mass;
    scaled.template rightCols<spin_dim<D>>() =
        J.template rightCols<spin_dim<D>>() * mass.inverse_inertia;
    const auto [at_body, is_new] = place.emplace(body, static_cast<int>(holds.size()));
    if (is_new) holds.emplace_back();
    holds[at(at_body->second)].push_back({unknown, J, scaled});
  };
  for (int i = 0; i < n; ++i) {
    const int member = members[at(i)];
    for (const bool second : {false, true}) {
      Jacobian J = Jacobian::Zero();
      int body = -1;
      if (member < contacts) {
        const ContactRow<D>& row = rigid.contacts[at(member)];
        J.template leftCols<D>() = row.frame.transpose();
        for (int k = 0; k < D; ++k)  // frameₖ·(ω × arm) = ω·(arm × frameₖ)
          J.row(k).template tail<spin_dim<D>>() =
              moment<D>(second ? row.arm_b : row.arm_a, row.frame.col(k));
        body = second ? row.b : row.a;
      } else {
        const LinearRow<D>& row = problem.rows[at(member - contacts)];
        J.row(0).template head<D>() = row.direction;
        J.row(0).template tail<spin_dim<D>>() = second ? row.moment_b : row.moment_a;
        body = second ? row.b : row.a;
      }
      hold(i, body, second ? J : Jacobian(-J));
    }
  }

  std::vector<std::vector<std::pair<int, int>>> on_body(at(n));  // body, place in its list
  for (std::size_t body = 0; body < holds.size(); ++body)
    for (std::size_t k = 0; k < holds[body].size(); ++k)
      on_body[at(holds[body][k].unknown)].emplace_back(static_cast<int>(body), static_cast<int>(k));

  DelassusOperator<D> W;
  std::vector<int> slot(at(n), -1);
  for (int i = 0; i < n; ++i) {
    const std::size_t first = W.block.size();
    const auto block = [&](int j) -> Mat<D>& {
      if (slot[at(j)] < 0) {
        slot[at(j)] = static_cast<int>(W.block.size() - first);
        W.column.push_back(j);
        W.block.push_back(Mat<D>::Zero());
      }
      return W.block[first + at(slot[at(j)])];
    };
    block(i);
    for (const auto& [body, k] : on_body[at(i)])
      for (const Hold& other : holds[at(body)])
        block(other.unknown) += holds[at(body)][at(k)].J * other.J_inverse_mass.transpose();
    if (const int member = members[at(i)]; member < contacts) {
      block(i).diagonal() += diagonal<D>(rigid.contacts[at(member)].compliance);
    } else {
      Mat<D>& own = block(i);
      own(0, 0) += problem.rows[at(member - contacts)].compliance;
      for (int k = 1; k < D; ++k) own(k, k) = own(0, 0);
    }
    for (std::size_t k = first; k < W.column.size(); ++k) slot[at(W.column[k])] = -1;
    W.row_start.push_back(W.block.size());
  }
  return W;
}

}  // namespace

template <int D>
void BlockProblem<D>::velocities(const std::vector<Vec<D>>& p, std::vector<Vec<D>>& u) const {
  u.resize(size());
  for (std::size_t i = 0; i < size(); ++i) u[i] = velocity(i, p);
}

template <int D>
bool BlockProblem<D>::has_boxes() const {
  return std::any_of(bounds.begin(), bounds.end(), [](const RowBounds& row) {
    return std::isfinite(row.lower) || std::isfinite(row.upper);
  });
}

template <int D>
bool BlockProblem<D>::has_cohesion() const {
  return std::any_of(law.begin(), law.end(),
                     [](const Coulomb<D>& own) { return own.cohesion > 0; });
}

template <int D>
double BlockProblem<D>::error(const std::vector<Vec<D>>& p, const std::vector<Vec<D>>& u) const {
  // What rounding of W p may hide counts as an error: where W is singular, percussions that cancel
  // each other can grow without end, as those of a problem without solution do.
  constexpr double few_operations = 4 * std::numeric_limits<double>::epsilon();
  double sum = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    const double hidden = few_operations * p[i].norm() / r[i];
    sum += hidden * hidden;
    if (bilateral[i]) {
      const double e = row_residual(bounds[i], u[i][0], p[i][0], r[i]);
      sum += e * e;
    } else {
      sum += law[i].residual_squared(u[i], p[i], r[i]);
    }
  }
  return std::sqrt(sum) / scale;
}

namespace {

// W of a part from the rows `rows` of a larger one. `place` is that of an unknown within the part.
template <int D>
void take_blocks(BlockProblem<D>& part, const DelassusOperator<D>& W, std::span<const int> rows,
                 std::span<const int> place) {
  std::size_t blocks = 0;
  for (const int i : rows) blocks += W.row_start[at(i) + 1] - W.row_start[at(i)];
  part.W.column.reserve(blocks);
  part.W.block.reserve(blocks);
  part.W.row_start.reserve(rows.size() + 1);
  part.diagonal.reserve(rows.size());
  std::vector<std::pair<int, std::size_t>> row;  // column in the part, block
  for (const int i : rows) {
    row.clear();
    for (std::size_t k = W.row_start[at(i)]; k < W.row_start[at(i) + 1]; ++k)
      if (W.column[k] == i || !W.block[k].isZero(0)) row.emplace_back(place[at(W.column[k])], k);
    if (!std::is_sorted(row.begin(), row.end())) std::sort(row.begin(), row.end());
    for (const auto& [column, k] : row) {
      if (column == place[at(i)]) part.diagonal.push_back(part.W.block.size());
      part.W.column.push_back(column);
      part.W.block.push_back(W.block[k]);
    }
    part.W.row_start.push_back(part.W.block.size());
  }
}

std::vector<int> first_numbers(std::size_t count) {
  std::vector<int> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// Of a rigid problem.
template <int D>
void assemble_blocks(BlockProblem<D>& part, const ContactProblem<D>& problem) {
  const std::vector<int> all = first_numbers(part.member.size());
  take_blocks(part, assemble<D>(problem, std::get<RigidOperator<D>>(problem.W), part.member), all,
              all);
}

// All of it, as it is.
template <int D>
void take_blocks(BlockProblem<D>& whole, const DelassusOperator<D>& W) {
  whole.W = W;
  whole.diagonal.reserve(whole.member.size());
  for (const int i : whole.member) {
    const auto begin = W.column.begin() + static_cast<std::ptrdiff_t>(W.row_start[at(i)]);
    const auto end = W.column.begin() + static_cast<std::ptrdiff_t>(W.row_start[at(i) + 1]);
    whole.diagonal.push_back(
        static_cast<std::size_t>(std::lower_bound(begin, end, i) - W.column.begin()));
  }
}

// All but `member` and the blocks of a part.
template <int D>
void fill(BlockProblem<D>& part, const ContactProblem<D>& problem) {
  const int contacts = static_cast<int>(problem.size());
  ErrorScale scale;
  const std::size_t n = part.member.size();
  part.b.reserve(n);
  part.law.reserve(n);
  part.bilateral.reserve(n);
  part.bounds.reserve(n);
  part.r.reserve(n);
  for (const int i : part.member) {
    const bool is_row = i >= contacts;
    Vec<D> b = Vec<D>::Zero();
    if (is_row) {
      b[0] = problem.rows[at(i - contacts)].bias;
    } else {
      b = problem.b[at(i)];
    }
    part.b.push_back(b);
    part.law.push_back(is_row ? Coulomb<D>{} : problem.law[at(i)]);
    part.bilateral.push_back(is_row);
    part.bounds.push_back(is_row ? problem.rows[at(i - contacts)].bounds : RowBounds{});
    const Mat<D>& own = part.W.block[part.diagonal[part.r.size()]];
    part.r.push_back(D / (2 * own.trace()));
    if (is_row) {
      scale.add(problem.rows[at(i - contacts)], own(0, 0));
    } else {
      scale.add(b);
    }
  }
  part.scale = scale.value(problem.velocity_floor);
}

}  // namespace

template <int D>
BlockProblem<D> restricted(const BlockProblem<D>& problem, const std::vector<char>& stays) {
  std::vector<int> place(problem.size(), -1);
  BlockProblem<D> part;
  for (std::size_t i = 0; i < problem.size(); ++i) {
    if (stays[i] == 0) continue;
    place[i] = static_cast<int>(part.member.size());
    part.member.push_back(problem.member[i]);
    part.b.push_back(problem.b[i]);
    part.law.push_back(problem.law[i]);
    part.bilateral.push_back(problem.bilateral[i]);
    part.bounds.push_back(problem.bounds[i]);
    part.r.push_back(problem.r[i]);
  }
  for (std::size_t i = 0; i < problem.size(); ++i) {
    if (stays[i] == 0) continue;
    for (std::size_t k = problem.W.row_start[i]; k < problem.W.row_start[i + 1]; ++k) {
      const int column = place[at(problem.W.column[k])];
      if (column < 0) continue;
      if (k == problem.diagonal[i]) part.diagonal.push_back(part.W.block.size());
      part.W.column.push_back(column);
      part.W.block.push_back(problem.W.block[k]);
    }
    part.W.row_start.push_back(part.W.block.size());
  }
  part.scale = problem.scale;
  return part;
}

template <int D>
BlockProblem<D> unsplit(const ContactProblem<D>& problem) {
  BlockProblem<D> whole;
  whole.member = first_numbers(problem.size() + problem.rows.size());
  if (const auto* W = std::get_if<DelassusOperator<D>>(&problem.W)) {
    take_blocks(whole, *W);
  } else if (const auto* factored = std::get_if<FactoredOperator<D>>(&problem.W)) {
    take_blocks(whole, assemble_delassus<D>(*factored), whole.member, whole.member);
  } else {
    assemble_blocks(whole, problem);
  }
  fill(whole, problem);
  return whole;
}

template <int D>
std::vector<BlockProblem<D>> island_problems(const ContactProblem<D>& problem,
                                             std::span<const std::vector<int>> members) {
  std::vector<BlockProblem<D>> islands(members.size());
  for (std::size_t k = 0; k < members.size(); ++k) islands[k].member = members[k];
  if (std::holds_alternative<RigidOperator<D>>(problem.W)) {
    for (BlockProblem<D>& island : islands) assemble_blocks(island, problem);
  } else {
    DelassusOperator<D> assembled;
    if (const auto* factored = std::get_if<FactoredOperator<D>>(&problem.W))
      assembled = assemble_delassus<D>(*factored);
    const auto* given = std::get_if<DelassusOperator<D>>(&problem.W);
    const DelassusOperator<D>& W = given != nullptr ? *given : assembled;
    std::vector<int> place(problem.size(), -1);
    for (const std::vector<int>& list : members)
      for (std::size_t k = 0; k < list.size(); ++k) place[at(list[k])] = static_cast<int>(k);
    for (BlockProblem<D>& island : islands) take_blocks(island, W, island.member, place);
  }
  for (BlockProblem<D>& island : islands) fill(island, problem);
  return islands;
}

template struct BlockProblem<2>;
template struct BlockProblem<3>;
template BlockProblem<2> restricted<2>(const BlockProblem<2>&, const std::vector<char>&);
template BlockProblem<3> restricted<3>(const BlockProblem<3>&, const std::vector<char>&);
template BlockProblem<2> unsplit<2>(const ContactProblem<2>&);
template BlockProblem<3> unsplit<3>(const ContactProblem<3>&);
template std::vector<BlockProblem<2>> island_problems<2>(const ContactProblem<2>&,
                                                         std::span<const std::vector<int>>);
template std::vector<BlockProblem<3>> island_problems<3>(const ContactProblem<3>&,
                                                         std::span<const std::vector<int>>);

}  // namespace talus
