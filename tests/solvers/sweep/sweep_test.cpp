// SPDX-License-Identifier: Apache-2.0
#include "solvers/sweep/sweep.hpp"

#include <doctest/doctest.h>

#include "solvers/math/parallel.hpp"
#include "tests/solvers/nsgs.hpp"
#include "tests/solvers/rigid_problems.hpp"

using namespace talus;

namespace {

// k plain sweeps of every island from p.
template <int D>
Percussions<D> swept(const ContactProblem<D>& problem, Percussions<D> p, int sweeps,
                     bool balls = true, Direction every_other = Direction::forward) {
  Sweep<D> sweep;
  sweep.allow_balls(balls);
  sweep.load(problem, Islands(problem), p);
  for (std::size_t island = 0; island < sweep.islands().size(); ++island) {
    sweep.rebuild_velocities(island);
    for (int k = 0; k < sweeps; ++k) {
      sweep.sweep(island, k % 2 == 0 ? Direction::forward : every_other);
    }
  }
  sweep.store(p);
  return p;
}

// The problem with its contacts in the order in which a sweep visits them.
template <int D>
ContactProblem<D> in_sweep_order(const ContactProblem<D>& problem,
                                 std::vector<std::size_t>& place) {
  Sweep<D> sweep;
  sweep.load(problem, Islands(problem), zero_percussions(problem));
  place.clear();
  for (const OrderedPacket& packet : sweep.order().packets()) {
    for (const int contact : packet.contact) {
      if (contact >= 0) place.push_back(static_cast<std::size_t>(contact));
    }
  }
  ContactProblem<D> ordered;
  RigidOperator<D> W;
  W.bodies = rigid(problem).bodies;
  for (const std::size_t i : place) {
    W.contacts.push_back(rigid(problem).contacts[i]);
    ordered.b.push_back(problem.b[i]);
    ordered.law.push_back(problem.law[i]);
  }
  ordered.W = std::move(W);
  return ordered;
}

struct Kernels {
  explicit Kernels(const WideKernels* kernels) { choose_kernels(kernels); }
  ~Kernels() { choose_kernels(nullptr); }
};

struct Threads {
  explicit Threads(int count) { set_threads(count); }
  ~Threads() { set_threads(1); }
};

}  // namespace

TEST_CASE_TEMPLATE("sweeps are those of plain Gauss-Seidel in the same order", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  for (const bool balls : {false, true}) {
    for (const int bodies : {30, 3000}) {
      const ContactProblem<D> problem = random_problem<D>(
          {.bodies = bodies, .contacts = 3 * bodies, .balls = balls, .friction = 0.4});
      std::vector<std::size_t> place;
      const ContactProblem<D> ordered = in_sweep_order(problem, place);
      REQUIRE(ordered.size() == problem.size());
      const Percussions<D> start = random_percussions(problem);
      Percussions<D> reference = zero_percussions(ordered);
      for (std::size_t k = 0; k < place.size(); ++k) {
        reference.contact[k] = start.contact[place[k]];
      }
      Nsgs<D>({.tolerance = 0, .max_sweeps = 3}).solve(ordered, reference);
      const Percussions<D> p = swept(problem, start, 3);
      double difference = 0;
      for (std::size_t k = 0; k < place.size(); ++k) {
        difference = std::max(difference, (p.contact[place[k]] - reference.contact[k]).norm());
      }
      CAPTURE(bodies);
      CHECK(difference < 1e-9);  // percussions of order one, through three sweeps
    }
  }
}

TEST_CASE("the short way for balls gives what the general one gives") {
  const ContactProblem<3> problem =
      random_problem<3>({.bodies = 2000, .contacts = 6000, .balls = true, .rows = 50});
  Sweep<3> sweep;
  sweep.load(problem, Islands(problem), zero_percussions(problem));
  CHECK(sweep.balls());
  const Percussions<3> start = random_percussions(problem);
  CHECK(percussion_difference<3>(swept(problem, start, 3), swept(problem, start, 3, false)) < 1e-9);

  const ContactProblem<3> others = random_problem<3>({.bodies = 20, .contacts = 60});
  sweep.load(others, Islands(others), zero_percussions(others));
  CHECK(!sweep.balls());
}

TEST_CASE_TEMPLATE("kernels for any processor give the same bits", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  for (const bool balls : {false, true}) {
    const ContactProblem<D> problem = random_problem<D>(
        {.bodies = 1000, .contacts = 3000, .balls = balls, .friction = 0.6, .rows = 20});
    const Percussions<D> start = random_percussions(problem);
    const Percussions<D> fast = swept(problem, start, 10);
    for (const WideKernels* kernels : {portable_kernels(), avx2_kernels(), avx512_kernels()}) {
      if (kernels == nullptr) continue;
      CAPTURE(kernels->name);
      const Kernels these(kernels);
      CHECK(same_bits(swept(problem, start, 10), fast));
    }
  }
}

TEST_CASE_TEMPLATE("a sweep gives the same bits on any number of threads", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  for (const RandomProblem& kind : std::initializer_list<RandomProblem>{
           {.bodies = 6000, .contacts = 20000, .reach = 200, .rows = 100, .hub = 3001},
           {.bodies = 13000, .contacts = 30000, .reach = 5000, .rows = 30},  // long seams
           {.bodies = 30000, .contacts = 4000, .reach = 3}}) {               // single contacts
    CAPTURE(kind.bodies);
    const ContactProblem<D> problem = random_problem<D>(kind);
    const Percussions<D> start = random_percussions(problem);
    for (const Direction every_other : {Direction::forward, Direction::backward}) {
      const auto sweep = [&] { return swept(problem, start, 5, true, every_other); };
      const Percussions<D> one = sweep();
      for (const int count : {2, 3, 7}) {
        const Threads threads(count);
        Percussions<D> many;
        parallel_team([&] { many = sweep(); });
        CHECK(same_bits(one, many));
        CHECK(same_bits(one, sweep()));
      }
    }
  }
}

TEST_CASE_TEMPLATE("a push on the way of a sweep gives the bits of a push before it", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  for (const int hub : {-1, 3001}) {
    const ContactProblem<D> problem = random_problem<D>(
        {.bodies = 6000, .contacts = 20000, .reach = 200, .rows = 101, .hub = hub});
    const Percussions<D> start = random_percussions(problem);
    enum class Way { none, before, along };
    const auto pushed = [&](Way way) {
      Sweep<D> sweep;
      sweep.load(problem, Islands(problem), start);
      AlignedNumbers p_last, v_last;
      p_last.resize(sweep.percussion_count());
      v_last.resize(sweep.velocity_count());
      const Push remember{0, p_last.data(), v_last.data()}, push{0.7, p_last.data(), v_last.data()};
      for (std::size_t i = 0; i < sweep.islands().size(); ++i) {
        sweep.rebuild_velocities(i);
        sweep.sweep(i, Direction::forward, remember);
        if (way == Way::before) sweep.push(i, push);
        sweep.sweep(i, Direction::forward, way == Way::along ? push : Push{});
      }
      Percussions<D> p = start;
      sweep.store(p);
      return p;
    };
    CAPTURE(hub);
    const Percussions<D> along = pushed(Way::along);
    CHECK(same_bits(along, pushed(Way::before)));
    CHECK(!same_bits(along, pushed(Way::none)));
    const Threads threads(3);
    CHECK(same_bits(along, pushed(Way::along)));
  }
}

TEST_CASE_TEMPLATE("velocities stay in step with percussions and the error is the shared one", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  for (const bool balls : {false, true}) {
    const ContactProblem<D> problem =
        random_problem<D>({.bodies = 3000, .contacts = 9000, .balls = balls, .rows = 30});
    Percussions<D> p = random_percussions(problem);
    Sweep<D> sweep;
    sweep.load(problem, Islands(problem), p);
    double carried = 0, rebuilt = 0;
    for (std::size_t island = 0; island < sweep.islands().size(); ++island) {
      sweep.rebuild_velocities(island);
      for (int k = 0; k < 4; ++k) {
        sweep.sweep(island, k % 2 == 0 ? Direction::forward : Direction::backward);
      }
      carried = std::max(carried, sweep.error(island).squares);
      sweep.rebuild_velocities(island);
      rebuilt = std::max(rebuilt, sweep.error(island).squares);
    }
    sweep.store(p);
    const double error = contact_error<D>(problem, p).velocity;
    REQUIRE(error > 1e-6);
    CHECK(std::sqrt(carried) == doctest::Approx(error).epsilon(1e-9));
    CHECK(std::sqrt(rebuilt) == doctest::Approx(error).epsilon(1e-9));
  }
}

TEST_CASE_TEMPLATE("an open contact without friction or sliding is no error", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  for (const bool balls : {false, true}) {
    ContactProblem<D> problem = column<D>(4, 0);
    if (!balls) {
      for (auto& row : std::get<RigidOperator<D>>(problem.W).contacts) row.arm_a[1] = 0.1;
    }
    for (Vec<D>& b : problem.b) b = 3 * Vec<D>::Unit(0);
    const Percussions<D> p = zero_percussions(problem);
    REQUIRE(contact_error<D>(problem, p).relative == 0);
    Sweep<D> sweep;
    sweep.load(problem, Islands(problem), p);
    for (std::size_t island = 0; island < sweep.islands().size(); ++island) {
      sweep.rebuild_velocities(island);
      CHECK(sweep.error(island).squares == 0);
    }
  }
}

TEST_CASE_TEMPLATE("frames of either handedness mean the same", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  ContactProblem<D> problem = random_problem<D>({.bodies = 60, .contacts = 200});
  Percussions<D> start = random_percussions(problem);
  const Percussions<D> p = swept(problem, start, 3);
  for (ContactRow<D>& row : std::get<RigidOperator<D>>(problem.W).contacts) {
    row.frame.col(D - 1) = -row.frame.col(D - 1);
  }
  for (Vec<D>& b : problem.b) b[D - 1] = -b[D - 1];
  for (Vec<D>& x : start.contact) x[D - 1] = -x[D - 1];
  Percussions<D> q = swept(problem, start, 3);
  for (Vec<D>& x : q.contact) x[D - 1] = -x[D - 1];
  CHECK(percussion_difference(p, q) < 1e-10);
}

TEST_CASE("what moves nothing passes nothing") {
  ContactProblem<2> problem = random_problem<2>({.bodies = 20, .contacts = 30});
  auto& W = std::get<RigidOperator<2>>(problem.W);
  W.contacts[4].a = 0;
  W.contacts[4].b = 7;  // both fixed
  LinearRow<2> row;
  row.a = 0;
  row.b = 7;
  row.direction = Vec<2>::UnitX();
  row.moment_a.setZero();
  row.moment_b.setZero();
  row.compliance = 2;
  row.bias = 3;
  problem.rows.push_back(row);
  const Percussions<2> p = swept(problem, random_percussions(problem), 2);
  CHECK(p.contact[4] == Vec<2>(Vec<2>::Zero()));
  CHECK(p.row[0] == -1.5);
}

TEST_CASE_TEMPLATE("a sweep tells how far it moved: the sum of W_N times the change squared", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  for (const bool balls : {false, true}) {
    for (const Direction direction : {Direction::forward, Direction::backward}) {
      const ContactProblem<D> problem = random_problem<D>(
          {.bodies = 3000, .contacts = 9000, .reach = 100, .balls = balls, .rows = 30});
      const Percussions<D> before = random_percussions(problem);
      Percussions<D> after = before;
      Sweep<D> sweep;
      sweep.load(problem, Islands(problem), before);
      double told = 0;
      for (std::size_t island = 0; island < sweep.islands().size(); ++island) {
        sweep.rebuild_velocities(island);
        told += sweep.sweep(island, direction);
      }
      sweep.store(after);
      const std::vector<Mat<D>> W = diagonal_blocks<D>(problem);
      double moved = 0;
      for (std::size_t i = 0; i < problem.size(); ++i) {
        moved += W[i](0, 0) * (after.contact[i] - before.contact[i]).squaredNorm();
      }
      for (std::size_t i = 0; i < problem.rows.size(); ++i) {
        const double change = after.row[i] - before.row[i];
        moved += diagonal_block<D>(problem.rows[i], rigid(problem).bodies) * change * change;
      }
      CHECK(told == doctest::Approx(moved).epsilon(1e-9));
    }
  }
}
