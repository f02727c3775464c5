#include "solvers/block_problem.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solvers/contact_error.hpp"
#include "solvers/factored.hpp"

namespace talus {

namespace {

// Rows of the whole matrix, contacts first and then linear rows.
template <int D>
DelassusOperator<D> assemble(const ContactProblem<D>& problem, const RigidOperator<D>& rigid) {
  // Velocity of an unknown per twist of one of its bodies, u = Σ J (v, ω).
  using Jacobian = Matrix<D, D + spin_dim<D>>;
  struct Hold {  // an unknown on a body
    int unknown;
    Jacobian J, J_inverse_mass;
  };
  const int contacts = static_cast<int>(problem.size());
  const int n = contacts + static_cast<int>(problem.rows.size());
  std::vector<std::vector<Hold>> holds(rigid.bodies.size());
  const auto hold = [&](int unknown, int body, const Jacobian& J) {
    const MassBlock<D>& mass = rigid.bodies[at(body)];
    if (!mass.moves()) return;
    Jacobian scaled;
    scaled.set_block(0, 0, J.template block<D, D>(0, 0) * mass.inverse_mass);
    scaled.set_block(0, D, J.template block<D, spin_dim<D>>(0, D) * mass.inverse_inertia);
    holds[at(body)].push_back({unknown, J, scaled});
  };
  for (int i = 0; i < contacts; ++i) {
    const ContactRow<D>& row = rigid.contacts[at(i)];
    for (const bool second : {false, true}) {
      Jacobian J;
      J.set_block(0, 0, row.frame.transpose());
      for (int k = 0; k < D; ++k)  // frameₖ·(ω × arm) = ω·(arm × frameₖ)
        J.set_block(k, D, moment<D>(second ? row.arm_b : row.arm_a, row.frame.col(k)).transpose());
      hold(i, second ? row.b : row.a, second ? J : Jacobian(-J));
    }
  }
  for (int i = contacts; i < n; ++i) {
    const LinearRow<D>& row = problem.rows[at(i - contacts)];
    for (const bool second : {false, true}) {
      Jacobian J = Jacobian::Zero();
      J.set_block(0, 0, row.direction.transpose());
      J.set_block(0, D, (second ? row.moment_b : row.moment_a).transpose());
      hold(i, second ? row.b : row.a, second ? J : Jacobian(-J));
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
    if (i < contacts) {
      block(i).add_to_diagonal(diagonal<D>(rigid.contacts[at(i)].compliance));
    } else {
      Mat<D>& own = block(i);
      own(0, 0) += problem.rows[at(i - contacts)].compliance;
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
double BlockProblem<D>::error(const std::vector<Vec<D>>& p, const std::vector<Vec<D>>& u) const {
  double sum = 0;
  for (std::size_t i = 0; i < size(); ++i) {
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

// W of any form in blocks; `assembled` holds it where the problem does not.
template <int D>
const DelassusOperator<D>& in_blocks(const ContactProblem<D>& problem,
                                     DelassusOperator<D>& assembled) {
  if (const auto* W = std::get_if<DelassusOperator<D>>(&problem.W)) return *W;
  const auto* rigid = std::get_if<RigidOperator<D>>(&problem.W);
  assembled = rigid != nullptr ? assemble<D>(problem, *rigid)
                               : assemble_delassus<D>(std::get<FactoredOperator<D>>(problem.W));
  return assembled;
}

// W of a part from that of the whole. `place` is that of an unknown within its part.
template <int D>
void take_blocks(BlockProblem<D>& part, const DelassusOperator<D>& W,
                 const std::vector<int>& place) {
  std::size_t blocks = 0;
  for (const int i : part.member) blocks += W.row_start[at(i) + 1] - W.row_start[at(i)];
  part.W.column.reserve(blocks);
  part.W.block.reserve(blocks);
  part.W.row_start.reserve(part.member.size() + 1);
  part.diagonal.reserve(part.member.size());
  std::vector<std::pair<int, std::size_t>> row;  // column in the part, block
  for (const int i : part.member) {
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
  whole.member.resize(problem.size() + problem.rows.size());
  std::iota(whole.member.begin(), whole.member.end(), 0);
  if (const auto* W = std::get_if<DelassusOperator<D>>(&problem.W)) {
    take_blocks(whole, *W);
  } else {
    DelassusOperator<D> assembled;
    take_blocks(whole, in_blocks(problem, assembled), whole.member);
  }
  fill(whole, problem);
  return whole;
}

template <int D>
std::vector<BlockProblem<D>> split_islands(const ContactProblem<D>& problem) {
  DelassusOperator<D> assembled;
  const DelassusOperator<D>& W = in_blocks(problem, assembled);
  const int n = static_cast<int>(problem.size() + problem.rows.size());
  const Islands found = find_islands<D>(problem);
  std::vector<int> place(at(n), -1);
  std::vector<BlockProblem<D>> islands(at(found.count));
  for (int i = 0; i < n; ++i) {
    if (found.of[at(i)] < 0) continue;  // moves nothing
    std::vector<int>& member = islands[at(found.of[at(i)])].member;
    place[at(i)] = static_cast<int>(member.size());
    member.push_back(i);
  }
  for (BlockProblem<D>& part : islands) {
    take_blocks(part, W, place);
    fill(part, problem);
  }
  return islands;
}

template struct BlockProblem<2>;
template struct BlockProblem<3>;
template BlockProblem<2> restricted<2>(const BlockProblem<2>&, const std::vector<char>&);
template BlockProblem<3> restricted<3>(const BlockProblem<3>&, const std::vector<char>&);
template BlockProblem<2> unsplit<2>(const ContactProblem<2>&);
template BlockProblem<3> unsplit<3>(const ContactProblem<3>&);
template std::vector<BlockProblem<2>> split_islands<2>(const ContactProblem<2>&);
template std::vector<BlockProblem<3>> split_islands<3>(const ContactProblem<3>&);

}  // namespace talus
