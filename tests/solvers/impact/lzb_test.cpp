// SPDX-License-Identifier: Apache-2.0
#include "solvers/impact/lzb.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <random>

#include "tests/solvers/impact/impact_problems.hpp"

using namespace talus;

namespace {

// A spring that loads along F = K (δ − δ₀)^η and unloads from (δ_m, F_m) along
// F = F_m ((δ − δ_r)/(δ_m − δ_r))^η with δ_m − δ_r = e*² (δ_m − δ₀): half the tip of a triangle for
// η = 1, and always e*² of the energy that went in.
struct BiStiffSpring {
  double K, eta, e;
  double origin = 0;  // δ₀ while loading
  bool loading = true;
  double deepest = 0, peak = 0, released = 0;  // δ_m, F_m, δ_r
  double last = 0;                             // δ

  double force(double delta) {
    if (loading && delta < last && delta > origin) {
      loading = false;
      deepest = last;
      peak = K * std::pow(deepest - origin, eta);
      released = deepest - e * e * (deepest - origin);
    } else if (!loading && delta > last) {
      const double now = last > released ? unloading(last) : 0;
      loading = true;
      origin = now > 0 ? last - std::pow(now / K, 1 / eta) : released;
    }
    last = delta;
    if (loading) return delta > origin ? K * std::pow(delta - origin, eta) : 0;
    return delta > released ? unloading(delta) : 0;
  }
  double unloading(double delta) const {
    return peak * std::pow((delta - released) / (deepest - released), eta);
  }
};

// A spring that loads and unloads along F = K (δ − δ₀)^η and lets go for good when it has given
// back e*² of the work that went in; it is in touch again when δ comes back to where it let go.
// Work by the trapezoidal rule along δ.
struct OneStiffSpring {
  double K, eta, e;
  double origin = 0, last = 0, pushed = 0;  // δ₀, δ and F of the call before
  double work_in = 0, work_out = 0;

  double force(double delta) {
    const double now = delta > origin ? K * std::pow(delta - origin, eta) : 0;
    const double work = 0.5 * (now + pushed) * (delta - last);
    (work > 0 ? work_in : work_out) += std::abs(work);
    last = delta;
    pushed = now;
    if (e < 1 && now > 0 && work < 0 && work_out >= e * e * work_in) {
      origin = delta;
      pushed = work_in = work_out = 0;
    }
    return pushed;
  }
};

// Newton's equations of balls with springs between them, in time, by Störmer and Verlet, until they
// part for good.
template <class Spring>
std::vector<double> compliant_chain(const std::vector<double>& m, std::vector<double> v,
                                    std::vector<Spring> springs, double h) {
  std::vector<double> q(m.size(), 0.0), f(m.size(), 0.0);
  const auto forces = [&] {
    std::fill(f.begin(), f.end(), 0.0);
    for (std::size_t i = 0; i + 1 < m.size(); ++i) {
      const double push = springs[i].force(q[i] - q[i + 1]);
      f[i] -= push;
      f[i + 1] += push;
    }
  };
  const auto parted = [&] {
    return f == std::vector<double>(m.size(), 0.0) && std::is_sorted(v.begin(), v.end());
  };
  for (bool done = false; !done; done = parted()) {
    for (std::size_t i = 0; i < m.size(); ++i) q[i] += h * (v[i] + h / 2 * f[i] / m[i]);
    const std::vector<double> before = f;
    forces();
    for (std::size_t i = 0; i < m.size(); ++i) v[i] += h / 2 * (before[i] + f[i]) / m[i];
  }
  return v;
}

double worst_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

std::vector<double> speeds_after(const ImpactProblem<2>& impact, const LzbLaw& law) {
  const LzbAnswer<2> answer = lzb_impact<2>(impact, law);
  REQUIRE(answer.solved);
  return speeds_of<2>(velocities_after<2>(impact, answer.percussions));
}

}  // namespace

TEST_CASE("balls leave an LZB impact as compliant balls do") {
  const std::vector<double> three = {1, 2, 0.7}, five = {1, 0.5, 2, 1, 3},
                            ten = {1, 2, 1.5, 1, 0.8, 1, 1.2, 2, 1, 0.5};
  for (const double eta : {1.0, 1.5}) {
    for (const int n : {3, 5, 10}) {
      for (const bool equal : {true, false}) {
        for (const double e : {1.0, 0.7}) {
          const std::vector<double> m = equal    ? std::vector<double>(at(n), 1.0)
                                        : n == 3 ? three
                                        : n == 5 ? five
                                                 : ten;
          std::vector<double> v(at(n), 0.0);
          v[0] = 1;
          std::vector<ImpactCoefficients> coefficients(at(n - 1), {.restitution = e});
          if (!equal) coefficients[1].stiffness = 3;
          std::vector<BiStiffSpring> springs;
          for (const ImpactCoefficients& c : coefficients) springs.push_back({c.stiffness, eta, e});
          CAPTURE(eta);
          CAPTURE(n);
          CAPTURE(equal);
          CAPTURE(e);
          const std::vector<double> law =
              speeds_after(ball_chain<2>(m, v, coefficients), {.exponent = eta});
          const std::vector<double> springs_say = compliant_chain(m, v, springs, 1e-4);
          CHECK(worst_difference(law, springs_say) <= 1e-4);
        }
      }
    }
  }
}

// The force jumps where a spring lets go, which Verlet's steps meet to first order in h: half of
// the error at h/2 is taken off.
TEST_CASE("springs of one stiffness give back e*² of their work and let go") {
  const std::vector<double> m = {1, 2, 0.7, 1}, v = {1, 0, 0, 0};
  for (const double eta : {1.0, 1.5}) {
    std::vector<ImpactCoefficients> coefficients = {
        {.restitution = 0.8}, {.restitution = 0.6, .stiffness = 3}, {.restitution = 0.9}};
    std::vector<OneStiffSpring> springs;
    for (const ImpactCoefficients& c : coefficients)
      springs.push_back({c.stiffness, eta, c.restitution});
    const std::vector<double> coarse = compliant_chain(m, v, springs, 2e-5),
                              fine = compliant_chain(m, v, springs, 1e-5);
    std::vector<double> limit(m.size());
    for (std::size_t i = 0; i < m.size(); ++i) limit[i] = 2 * fine[i] - coarse[i];
    const std::vector<double> law =
        speeds_after(ball_chain<2>(m, v, coefficients), {.exponent = eta, .one_stiffness = true});
    CAPTURE(eta);
    CHECK(worst_difference(law, limit) <= 1e-4);
    // another law than that of two stiffnesses
    CHECK(worst_difference(
              law, speeds_after(ball_chain<2>(m, v, coefficients), {.exponent = eta})) > 5e-3);
  }
}

TEST_CASE("an LZB impact loses (1 - e*²) of the work of compression, contact by contact") {
  for (const bool one_stiffness : {false, true}) {
    for (const double eta : {1.0, 1.5, 2.3}) {
      const ImpactProblem<3> impact = ball_chain<3>({1, 2, 0.5, 1, 3}, {1, 0, 0.1, 0, -0.4},
                                                    {{.restitution = 0.9},
                                                     {.restitution = 0.5, .stiffness = 2},
                                                     {.restitution = 1, .stiffness = 0.3},
                                                     {.restitution = 0.7}});
      const LzbAnswer<3> answer = lzb_impact<3>(
          impact, {.exponent = eta, .one_stiffness = one_stiffness, .tolerance = 1e-10});
      REQUIRE(answer.solved);
      const std::vector<Twist<3>> v = velocities_after<3>(impact, answer.percussions);
      double loss = 0;
      for (std::size_t i = 0; i < impact.size(); ++i) {
        const double e = impact.coefficients[i].restitution;
        loss += (1 - e * e) * answer.compression_work[i];
      }
      CAPTURE(eta);
      CAPTURE(one_stiffness);
      const double before = kinetic_energy<3>(impact, impact.v_minus);
      CHECK(std::abs(before - kinetic_energy<3>(impact, v) - loss) <= 1e-8 * before);
      for (const Vec<3>& u : contact_velocities<3>(impact, v)) CHECK(u[0] >= -1e-9);
      for (const Vec<3>& p : answer.percussions) CHECK(p[0] >= 0);
    }
  }
}

TEST_CASE("plastic LZB contacts lose all the work of their compression") {
  const ImpactProblem<2> one = struck_chain<2>(2, {.restitution = 0});
  CHECK(worst_difference(speeds_after(one, {}), {0.5, 0.5}) <= 1e-7);
  const ImpactProblem<2> five = struck_chain<2>(5, {.restitution = 0});
  const LzbAnswer<2> answer = lzb_impact<2>(five, {});
  REQUIRE(answer.solved);
  const double lost =
      std::accumulate(answer.compression_work.begin(), answer.compression_work.end(), 0.0);
  CHECK(0.5 - kinetic_energy<2>(five, velocities_after<2>(five, answer.percussions)) ==
        doctest::Approx(lost).epsilon(1e-7));
}

// Stiffness decides: a first contact that is over before the second has moved makes two binary
// impacts, a second one that is much stiffer makes one body of the two balls behind it. A contact r
// times as stiff as its neighbour lasts r^(−1/(1+η)) as long (x ~ K^(−1/(1+η)) at a given speed),
// and while it does, the neighbour takes of order that part of the impulse, squared: the limits are
// approached at least as fast as r^(−1/(1+η)). The stiff contact rings, undamped for e* = 1,
// r^(1/(1+η)) times within the soft one: 10⁵ times for the last of them.
TEST_CASE("extreme stiffness ratios turn LZB into binary impacts or into Moreau's law") {
  for (const double eta : {1.0, 1.5}) {
    const std::vector<double> m(3, 1.0), v = {1, 0, 0};
    const LzbLaw law{.exponent = eta, .max_steps = 1'000'000};
    const auto distances = [&](double ratio) {
      const ImpactCoefficients soft{.restitution = 1, .stiffness = 1},
          hard{.restitution = 1, .stiffness = ratio};
      return std::pair(
          worst_difference(speeds_after(ball_chain<2>(m, v, {hard, soft}), law), {0, 0, 1}),
          worst_difference(speeds_after(ball_chain<2>(m, v, {soft, hard}), law),
                           {-1.0 / 3, 2.0 / 3, 2.0 / 3}));
    };
    CAPTURE(eta);
    for (const double ratio : {1e2, 1e4, 1e6, 1e8, 1e10}) {
      CAPTURE(ratio);
      const auto [binary, moreau] = distances(ratio);
      const double part = std::pow(ratio, -1 / (1 + eta));
      CHECK(binary <= part);
      CHECK(moreau <= part);
    }
  }
}

// Steps end where contacts begin, turn and end. Linear springs then have the order 5 of the pair; a
// Hertzian spring begins with F ~ s^(3/2) and P ~ s^(5/2), of which a step sees 5/2 orders.
TEST_CASE("an LZB impact converges with its step") {
  struct Expected {
    double exponent, order;
  };
  for (const Expected& expected : {Expected{1.0, 4.8}, Expected{1.5, 2.4}}) {
    const double eta = expected.exponent;
    const ImpactProblem<2> impact = struck_chain<2>(3, {.restitution = 0.8});
    const std::vector<double> exact = speeds_after(impact, {.exponent = eta, .tolerance = 1e-12});
    // Slope of log₂ error over the number of halvings, by least squares.
    constexpr int halvings = 4;
    double slope = 0, spread = 0;
    for (int k = 0; k <= halvings; ++k) {
      const double step = 0.4 * std::pow(0.5, k), from_middle = k - 0.5 * halvings;
      const double error = worst_difference(
          speeds_after(impact, {.exponent = eta, .tolerance = 1e-12, .fixed_step = step}), exact);
      slope -= from_middle * std::log2(error);
      spread += from_middle * from_middle;
    }
    CAPTURE(eta);
    CHECK(slope / spread >= expected.order);
  }
}

TEST_CASE("the LZB error follows its tolerance") {
  for (const double eta : {1.0, 1.5}) {
    for (const double e : {0.9, 1.0}) {
      const ImpactProblem<2> impact = struck_chain<2>(10, {.restitution = e});
      const std::vector<double> exact = speeds_after(impact, {.exponent = eta, .tolerance = 1e-12});
      for (const double tolerance : {1e-4, 1e-6, 1e-8})
        CHECK(worst_difference(speeds_after(impact, {.exponent = eta, .tolerance = tolerance}),
                               exact) <= tolerance);
    }
  }
}

namespace {

// Newton's equations of 100 equal balls with springs of two stiffnesses, e* = 0.9, in time, with
// mantissas of 64 bits, Dormand and Prince's pair to 1e-16 (Hertz: 1e-13) and all changes of phase
// bisected: velocities of balls 0, 8, 18, 50 and 99 for a first one of 1 m/s.
struct LongChain {
  double eta;
  std::vector<double> reference;
  double error;                             // asked for
  double sensitivity, sensitivity_at_most;  // of velocities to masses
};
const std::vector<std::size_t> watched = {0, 8, 18, 50, 99};
const LongChain long_chains[] = {
    {1.0,
     {-0.066650112981291504, 0.0076900829146180722, 0.0079527302432312388, 0.0088059283995587725,
      0.097832527258677887},
     1e-7,
     1e5,
     1e8},
    {1.5,
     {-0.008670629406171344, 0.0077685843659903485, 0.0081730019777762255, 0.010208355063185683,
      0.015826015405778476},
     1e-6,
     1,
     1e4}};

}  // namespace

// 100 balls with dissipation meet a thousand times. Of linear springs masses that differ by 1e-12
// change velocities by some 1e-6: rounding alone costs nine digits, and no tolerance of steps
// above it would do. Hertz's springs forget.
TEST_CASE("a long dissipative chain is integrated to what its conditioning allows") {
  for (const LongChain& chain : long_chains) {
    CAPTURE(chain.eta);
    const ImpactProblem<2> impact = struck_chain<2>(100, {.restitution = 0.9});
    const LzbLaw law{.exponent = chain.eta, .tolerance = 1e-7};
    const std::vector<double> speeds = speeds_after(impact, law);
    for (std::size_t k = 0; k < watched.size(); ++k)
      CHECK(std::abs(speeds[watched[k]] - chain.reference[k]) <= chain.error);

    ImpactProblem<2> other = impact;
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-1, 1);
    for (MassBlock<2>& body : other.bodies) body.inverse_mass *= 1 + 1e-12 * uniform(random);
    const LzbLaw finest{.exponent = chain.eta, .tolerance = 1e-13};
    const double sensitivity =
        worst_difference(speeds_after(other, finest), speeds_after(impact, finest)) / 1e-12;
    CHECK(sensitivity >= chain.sensitivity);
    CHECK(sensitivity <= chain.sensitivity_at_most);
  }
}

TEST_CASE("an LZB impact that cannot end is given up") {
  // An elastic ball that just fits between two walls hits one after the other, without end.
  ImpactProblem<2> impact;
  impact.bodies = {{}, {1.0, SpinMat<2>::Identity()}};
  impact.v_minus = {{}, {Vec<2>(1, 0), Spin<2>::Zero()}};
  for (const double side : {-1.0, 1.0}) {
    ContactRow<2> row;
    row.a = 0;
    row.b = 1;
    row.frame = Mat<2>{{-side, 0}, {0, -side}};
    row.arm_a.setZero();
    row.arm_b.setZero();
    impact.contacts.push_back(row);
  }
  impact.coefficients.assign(2, {.restitution = 1});
  const LzbAnswer<2> answer = lzb_impact<2>(impact, {.max_steps = 5000});
  CHECK_FALSE(answer.solved);
  CHECK(answer.steps == 5000);
}

// Without friction by series, with a trace of it by the pair of orders 5 and 4.
TEST_CASE("series and Runge and Kutta's steps give one LZB impact") {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> uniform(0, 1);
  for (const bool one_stiffness : {false, true}) {
    for (const double eta : {1.0, 1.5, 2.0}) {
      for (int k = 0; k < 5; ++k) {
        std::vector<double> m, v;
        std::vector<ImpactCoefficients> coefficients;
        for (int i = 0; i < 6; ++i) {
          m.push_back(0.5 + uniform(random));
          v.push_back(1 - 0.3 * i + 0.1 * uniform(random));
          coefficients.push_back(
              {.restitution = 0.5 + 0.5 * uniform(random), .stiffness = 0.2 + uniform(random)});
        }
        coefficients.pop_back();
        ImpactProblem<2> impact = ball_chain<2>(m, v, coefficients);
        const LzbLaw law{.exponent = eta, .one_stiffness = one_stiffness, .tolerance = 1e-9};
        const std::vector<double> series = speeds_after(impact, law);
        for (ImpactCoefficients& c : impact.coefficients) c.friction = 1e-300;
        CAPTURE(eta);
        CAPTURE(one_stiffness);
        CAPTURE(k);
        CHECK(worst_difference(series, speeds_after(impact, law)) <= 1e-6);
      }
    }
  }
}

TEST_CASE_TEMPLATE("a spinning ball leaves an LZB impact by rigid sliding theory (A10)", Dim,
                   std::integral_constant<int, 2>, std::integral_constant<int, 3>) {
  constexpr int D = Dim::value;
  for (const SpinningBall& ball : spinning_balls) {
    const ImpactProblem<D> impact = spinning_ball_on_wall<D>(ball);
    const LzbAnswer<D> answer = lzb_impact<D>(impact, {.tolerance = 1e-10});
    REQUIRE(answer.solved);
    const Twist<D> after = velocities_after<D>(impact, answer.percussions)[1];
    CHECK(after.v[D - 1] == doctest::Approx(0.1).epsilon(1e-8));
    CHECK(std::abs(after.v[0]) == doctest::Approx(ball.v_after).epsilon(1e-7));
    CHECK(after.omega.norm() == doctest::Approx(ball.spin_after).epsilon(1e-7));
  }
}

// Where normal and tangential motion mix, Newton's restitution can create energy (Kane); an
// energetic coefficient cannot.
TEST_CASE("no LZB impact of a slanted rod gains energy, whatever friction and slip") {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int k = 0; k < 200; ++k) {
    const double mu = 1.0 + uniform(random), e = 0.5 + 0.5 * uniform(random);
    const Vec<2> arm(uniform(random), -0.2 - std::abs(uniform(random)));
    Twist<2> v;
    v.v = {3 * uniform(random), -1 + uniform(random)};
    v.omega[0] = uniform(random);
    const ImpactProblem<2> impact =
        body_on_wall<2>({1, SpinMat<2>::Constant(3)}, arm, v, {.friction = mu, .restitution = e});
    const std::vector<Vec<2>> u = contact_velocities<2>(impact, impact.v_minus);
    if (u[0][0] > -1e-2) continue;
    const LzbAnswer<2> answer = lzb_impact<2>(impact, {});
    REQUIRE(answer.solved);
    const Vec<2>& p = answer.percussions[0];
    CHECK(std::abs(p[1]) <= mu * p[0] * (1 + 1e-12));
    const std::vector<Twist<2>> after = velocities_after<2>(impact, answer.percussions);
    CHECK(kinetic_energy<2>(impact, after) <= kinetic_energy<2>(impact, impact.v_minus) + 1e-8);
    CHECK(contact_velocities<2>(impact, after)[0][0] >= -1e-7);
  }
}
