// SPDX-License-Identifier: Apache-2.0
#include "solvers/sweep/sweep.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/math/parallel.hpp"
#include "solvers/sweep/seams.hpp"

namespace talus {

namespace {

constexpr std::size_t error_packets = 256;  // a thread takes at a time

}  // namespace

template <int D>
Range Sweep<D>::velocity_range(std::size_t island) const {
  const Range lines = order_.islands()[island].lines;
  return {lines.first * line_length, lines.last * line_length};
}

template <int D>
double Sweep<D>::row_velocity(const PreparedRow& row, double p) const {
  const double* const a = lines_.data() + at(row.line_a) * line_length;
  const double* const b = lines_.data() + at(row.line_b) * line_length;
  double u = row.bias + row.compliance * p;
  for (int k = 0; k < line_length; ++k) u += row.jacobian_a[k] * a[k] + row.jacobian_b[k] * b[k];
  return u;
}

template <int D>
void Sweep<D>::kick(const PreparedRow& row, double change) {
  double* const a = lines_.data() + at(row.line_a) * line_length;
  double* const b = lines_.data() + at(row.line_b) * line_length;
  for (int k = 0; k < line_length; ++k) a[k] += row.response_a[k] * change;
  for (int k = 0; k < line_length; ++k) b[k] += row.response_b[k] * change;
}

template <int D>
double Sweep<D>::sweep_rows(const Island& island, Range rows, Direction direction) {
  double moved = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t k = direction == Direction::forward ? rows.first + i : rows.last - 1 - i;
    double& p = *row_percussion(island, k);
    const RowBounds& bounds = problem_->rows[at(order_.rows()[k].row)].bounds;
    double change = -row_velocity(rows_[k], p) * rows_[k].W_inverse;
    if (p + change < bounds.lower) change = bounds.lower - p;
    if (p + change > bounds.upper) change = bounds.upper - p;
    p += change;
    kick(rows_[k], change);
    if (rows_[k].W_inverse > 0) moved += change * change / rows_[k].W_inverse;
  }
  return moved;
}

// Copies of hubs take the velocity of the hub, before its contacts are swept block by block.
template <int D>
void Sweep<D>::spread_hubs(const Island& island) {
  for (std::size_t h = island.hubs.first; h < island.hubs.last; ++h) {
    const Hub& hub = order_.hubs()[h];
    const double* const from = lines_.data() + at(hub.line) * line_length;
    for (std::size_t c = hub.copies.first; c < hub.copies.last; ++c) {
      double* const to = lines_.data() + at(order_.copies()[c].line) * line_length;
      for (int k = 0; k < line_length; ++k) {
        if (k != mass_at) to[k] = from[k];
      }
    }
  }
}

// v = Σ share v_copy = M⁻¹H p.
template <int D>
void Sweep<D>::merge_hubs(const Island& island) {
  for (std::size_t h = island.hubs.first; h < island.hubs.last; ++h) {
    const Hub& hub = order_.hubs()[h];
    double* const to = lines_.data() + at(hub.line) * line_length;
    for (int k = 0; k < line_length; ++k) {
      if (k == mass_at) continue;
      double sum = 0;
      for (std::size_t c = hub.copies.first; c < hub.copies.last; ++c) {
        const HubCopy& copy = order_.copies()[c];
        sum += copy.share * lines_.data()[at(copy.line) * line_length + at(k)];
      }
      to[k] = sum;
    }
  }
  spread_hubs(island);
}

template <int D>
void Sweep<D>::push_percussions(const Push& push, const double* first, const double* last) {
  if (push.p_last == nullptr) return;
  wide_kernels().push(p_.data(), push.p_last, push.beta,
                      static_cast<std::size_t>(first - p_.data()),
                      static_cast<std::size_t>(last - p_.data()));
}

template <int D>
void Sweep<D>::push_lines(const Push& push, Range lines) {
  if (push.v_last == nullptr) return;
  wide_kernels().push(lines_.data(), push.v_last, push.beta, lines.first * line_length,
                      lines.last * line_length);
}

template <int D>
void Sweep<D>::push(std::size_t number, const Push& push) {
  if (push.p_last == nullptr) return;
  const Island& island = order_.islands()[number];
  const Range numbers = groups_[number].numbers();
  parallel_stretches(numbers.size() / 4, [&](std::size_t first, std::size_t last) {
    const double* const p = p_.data() + numbers.first;
    push_percussions(push, p + 4 * first, p + 4 * last);
  });
  parallel_stretches(island.lines.size(), [&](std::size_t first, std::size_t last) {
    push_lines(push, {island.lines.first + first, island.lines.first + last});
  });
}

// Calls at_block for the blocks of an island, then at_piece for the pieces of its seams and
// at_rows_between; backward in the reverse order. Each thread takes a half of the blocks of some
// depth with all seams inside it; the few long seams above are shared phase by phase. Copies of
// hubs are merged between blocks and seams, so where there are hubs a share ends with its blocks.
template <int D>
template <class AtBlock, class AtPiece, class AtRows>
void Sweep<D>::walk(const Island& island, Direction direction, AtBlock at_block, AtPiece at_piece,
                    AtRows at_rows_between) {
  const bool forward = direction == Direction::forward;
  const auto in_turn = [&](std::size_t first, std::size_t last, auto visit) {
    for (std::size_t i = 0; i < last - first; ++i) visit(forward ? first + i : last - 1 - i);
  };
  const Seams seams{static_cast<int>(island.blocks.size())};
  const int depth = seams.depth_of_shares(threads());
  const std::size_t shares = at(seams.at_depth(depth));
  const bool blocks_only = island.hubs.size() > 0 || island.phases.size() == 0;
  const std::size_t shared_from =
      island.phases.first + (blocks_only ? 0 : at(seams.depths() - depth));

  const auto walk_share = [&](std::size_t share) {
    const Halving half = seams.half(depth, static_cast<int>(share));
    const auto walk_blocks = [&] {
      for (int k = half.first; k < half.last; ++k) at_block(island.blocks.first + at(k));
    };
    if (forward) walk_blocks();
    in_turn(island.phases.first, shared_from, [&](std::size_t phase) {
      const Range pieces = order_.phases()[phase];
      const std::size_t mine = pieces.size() / shares;
      for (std::size_t k = 0; k < mine; ++k) at_piece(pieces.first + share * mine + k);
    });
    if (!forward) walk_blocks();
  };
  const auto walk_shares = [&] {
    spread_hubs(island);
    parallel_chunks(
        shares, [&](std::size_t share, std::size_t, std::size_t) { walk_share(share); }, 1);
    merge_hubs(island);
  };
  const auto walk_long_seams = [&] {
    in_turn(shared_from, island.phases.last, [&](std::size_t phase) {
      const Range pieces = order_.phases()[phase];
      parallel_chunks(
          pieces.size(),
          [&](std::size_t k, std::size_t, std::size_t) { at_piece(pieces.first + k); }, 1);
    });
  };
  if (forward) {
    walk_shares();
    walk_long_seams();
    at_rows_between();
  } else {
    at_rows_between();
    walk_long_seams();
    walk_shares();
  }
}

template <int D>
double Sweep<D>::sweep(std::size_t number, Direction direction, const Push& push) {
  const Island& island = order_.islands()[number];
  const bool forward = direction == Direction::forward;
  // Contacts of a block move its own bodies only, so each block can push its own; but copies of
  // hubs are spread before.
  if (push.p_last != nullptr && (!forward || island.hubs.size() > 0)) {
    this->push(number, push);
    return sweep(number, direction);
  }
  push_percussions(push, packet_percussion(island, island.packets.last),
                   p_.data() + groups_[number].numbers().last);  // of rows
  double total = 0;
  with_packets([&](auto& packets, const auto& kernels) {
    const auto run = [&](Range range) {
      double* const p = packet_percussion(island, range.first);
      push_percussions(push, p, packet_percussion(island, range.last));
      return (forward ? kernels.sweep : kernels.sweep_backward)(
          packets.data() + range.first, range.size(), p, lines_.data(), inertia_.data(),
          packet_compliance(range.first));
    };
    const auto sweep_block = [&](const Block& block) {
      push_lines(push, block.lines);
      if (forward) {
        const double moved = run(block.packets);
        return moved + sweep_rows(island, block.rows, direction);
      }
      const double moved = sweep_rows(island, block.rows, direction);
      return moved + run(block.packets);
    };
    if (island.blocks.size() == 1) {  // one thread's work, perhaps beside other islands
      total = sweep_block(order_.blocks()[island.blocks.first]);
      return;
    }
    // Kept by block and by piece and added up in their order, whoever sweeps them.
    moved_.resize(island.blocks.size() + island.pieces.size());
    const std::span<double> by_block = std::span(moved_).first(island.blocks.size());
    const std::span<double> by_piece = std::span(moved_).last(island.pieces.size());
    walk(
        island, direction,
        [&](std::size_t k) { by_block[k - island.blocks.first] = sweep_block(order_.blocks()[k]); },
        [&](std::size_t k) { by_piece[k - island.pieces.first] = run(order_.pieces()[k]); },
        [&] { total = sweep_rows(island, island.rows_between, direction); });
    for (const double moved : moved_) total += moved;
  });
  return total;
}

template <int D>
void Sweep<D>::rebuild_velocities(std::size_t number) {
  const Island& island = order_.islands()[number];
  parallel_for(island.lines.size(), [&](std::size_t k) {
    double* const line = lines_.data() + (island.lines.first + k) * line_length;
    for (int i = 0; i < line_length; ++i) {
      if (i != mass_at) line[i] = 0;
    }
  });
  with_packets([&](auto& packets, const auto& kernels) {
    const auto apply = [&](Range range) {
      kernels.apply(packets.data() + range.first, range.size(),
                    packet_percussion(island, range.first), lines_.data(), inertia_.data());
    };
    const auto apply_rows = [&](Range range) {
      for (std::size_t k = range.first; k < range.last; ++k)
        kick(rows_[k], *row_percussion(island, k));
    };
    walk(
        island, Direction::forward,
        [&](std::size_t k) {
          apply(order_.blocks()[k].packets);
          apply_rows(order_.blocks()[k].rows);
        },
        [&](std::size_t k) { apply(order_.pieces()[k]); },
        [&] { apply_rows(island.rows_between); });
  });
}

template <int D>
ErrorSum Sweep<D>::error(std::size_t number) {
  const Island& island = order_.islands()[number];
  ErrorSum total;
  const auto add = [&](const ErrorSum& part) {
    total.squares += part.squares;
    total.worst = std::max(total.worst, part.worst);
  };
  with_packets([&](auto& packets, const auto& kernels) {
    const auto run = [&](std::size_t first, std::size_t last) {
      return kernels.error(packets.data() + first, last - first, packet_percussion(island, first),
                           lines_.data(), packet_compliance(first));
    };
    if (island.blocks.size() == 1) {  // one thread's work, perhaps beside other islands
      add(run(island.packets.first, island.packets.last));
      return;
    }
    partial_.resize((island.packets.size() + error_packets - 1) / error_packets);
    parallel_chunks(
        island.packets.size(),
        [&](std::size_t chunk, std::size_t begin, std::size_t end) {
          partial_[chunk] = run(island.packets.first + begin, island.packets.first + end);
        },
        error_packets);
    for (const ErrorSum& part : partial_) add(part);
  });
  for (std::size_t k = island.rows.first; k < island.rows.last; ++k) {
    const double p = *row_percussion(island, k);
    const double e = row_residual(problem_->rows[at(order_.rows()[k].row)].bounds,
                                  row_velocity(rows_[k], p), p, rows_[k].W_inverse / 2);
    add({e * e, e});
  }
  return total;
}

template class Sweep<2>;
template class Sweep<3>;

}  // namespace talus
