// SPDX-License-Identifier: Apache-2.0
#include "solvers/impact/lzb_series.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "solvers/math/index.hpp"

namespace talus {

namespace {

constexpr std::size_t most_terms = 16;  // the greatest degree
using Coefficients = std::array<double, most_terms + 1>;

double value_and_slope(const double* c, int degree, double t, double& slope) {
  double sum = c[degree];
  slope = 0;
  for (int k = degree - 1; k >= 0; --k) {
    slope = slope * t + sum;
    sum = sum * t + c[k];
  }
  return sum;
}

// The root between `low`, where the polynomial has the sign given, and `high`, where it has not: by
// Newton's method, and by halves where that leaves the bracket.
double root_between(const double* c, int degree, double sign, double low, double high) {
  double t = 0.5 * (low + high);
  for (int k = 0; k < 60; ++k) {
    double slope = 0;
    const double g = sign * value_and_slope(c, degree, t, slope);
    (g > 0 ? low : high) = t;
    double next = t - g / (sign * slope);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - t) <= 1e-16 * high) return next;
    t = next;
  }
  return t;
}

// The first t in [0, h) where a polynomial that has the sign given just after 0 loses it; h if it
// keeps it. Zeros at t = 0 itself are divided out.
double first_crossing(const double* c, int degree, double sign, double h) {
  while (degree > 0 && *c == 0) ++c, --degree;
  if (sign * c[0] <= 0) return 0;
  // Pieces, and in each the two ways to cross: once, or there and back past an extremum.
  constexpr int pieces = 4;
  double slope = sign * c[1], from = 0;
  for (int piece = 1; piece <= pieces; ++piece) {
    const double to = h * piece / pieces;
    double slope_to = 0;
    const double g = sign * value_and_slope(c, degree, to, slope_to);
    slope_to *= sign;
    if (g <= 0) return root_between(c, degree, sign, from, to);
    if (slope < 0 && slope_to > 0) {
      double low = from, high = to;
      for (int k = 0; k < 30; ++k) {
        const double middle = 0.5 * (low + high);
        double slope_there = 0;
        if (sign * value_and_slope(c, degree, middle, slope_there) <= 0)
          return root_between(c, degree, sign, from, middle);
        (sign * slope_there < 0 ? low : high) = middle;
      }
    }
    from = to;
    slope = slope_to;
  }
  return h;
}

// ∫₀¹ dz/√(1 − z^(1+η)) = √π Γ(1 + 1/(1+η))/Γ(1/2 + 1/(1+η)): how long a contact that is alone
// closes, in units of its deepest indentation over its first speed.
double closing_time_of(double exponent) {
  const double a = 1 / (1 + exponent);
  return std::sqrt(std::numbers::pi) * std::tgamma(1 + a) / std::tgamma(0.5 + a);
}

class Springs {
 public:
  Springs(const CompliantNetwork& network, const LzbLaw& law)
      : net_(network),
        law_(law),
        n_(network.u.size()),
        linear_(law.exponent == 1),
        twice_exponent_(static_cast<std::size_t>(std::lround(2 * law.exponent))),
        closing_time_(closing_time_of(law.exponent)),
        x_(n_, 0.0),
        u_(network.u),
        P_(n_, 0.0),
        mass_(n_),
        indentation_(n_),
        contact_(n_),
        slot_(n_, none) {
    for (const double u : u_) speed_ = std::max(speed_, -u);
    for (std::size_t i = 0; i < n_; ++i) {
      mass_[i] = 1 / W(i, i);
      // What a blow at full speed would do to this contact alone: K x^(1+η)/(1+η) = m u²/2.
      indentation_[i] =
          std::pow((1 + law.exponent) * mass_[i] * speed_ * speed_ / (2 * net_.stiffness[i]),
                   1 / (1 + law.exponent));
      longest_ = std::max(longest_, 10 * indentation_[i] / speed_);
    }
    scale_u_ = 1 / speed_;
    expected_ = longest_;
    local_ = linear_ ? 1e-16 : std::max(0.01 * law.tolerance, 1e-15);
    wake_ = linear_ ? 1e-16 : 1e-12;
    rebuild();
  }

  NetworkAnswer run() {
    NetworkAnswer answer;
    while (speed_ > 0 && !over()) {
      if (pushing_ == 0) arrive();
      if (answer.steps == law_.max_steps) {
        answer.solved = false;
        break;
      }
      ++answer.steps;
      if (pushing_ > 0 || !strike_alone()) {
        if (pushing_ == 0) begin_all();
        advance();
      }
    }
    answer.percussions = P_;
    for (const Contact& contact : contact_) answer.compression_work.push_back(contact.work);
    return answer;
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  enum class Phase : char { away, loading, unloading };
  struct Contact {
    Phase phase = Phase::away;
    bool touches = true;     // away, with no gap to speak of
    bool starts = false;     // pushes from x = 0 on
    double level = 0;        // x at which it lets go
    double loaded_from = 0;  // energy stored where loading began
    double push_work = 0;    // W_c of this push
    double work = 0;         // W_c of all
  };
  struct Entry {
    std::size_t slot;  // of a contact that pushes
    double W;
  };
  // Coefficients of one quantity, of all slots order by order: loops over slots are what is fast.
  struct Table {
    std::vector<double> c;
    std::size_t slots = 0;

    void resize(std::size_t n) {
      slots = n;
      c.resize((most_terms + 1) * n);
    }
    double* operator[](std::size_t k) { return c.data() + k * slots; }
    const double* operator[](std::size_t k) const { return c.data() + k * slots; }
    Coefficients of(std::size_t slot, std::size_t degree) const {
      Coefficients one;
      for (std::size_t k = 0; k <= degree; ++k) one[k] = c[k * slots + slot];
      return one;
    }
    // Σ c_k t^k of the first slots.
    void value(double t, std::size_t degree, std::vector<double>& sum) const {
      const double* last = (*this)[degree];
      for (std::size_t s = 0; s < sum.size(); ++s) sum[s] = last[s];
      for (std::size_t k = degree; k-- > 0;) {
        const double* row = (*this)[k];
        for (std::size_t s = 0; s < sum.size(); ++s) sum[s] = sum[s] * t + row[s];
      }
    }
    // Σ |c_k| t^k without the first, of the first slots: how far a quantity may move within t.
    void range(double t, std::size_t degree, std::vector<double>& sum) const {
      std::fill(sum.begin(), sum.end(), 0.0);
      for (std::size_t k = degree; k > 0; --k) {
        const double* row = (*this)[k];
        for (std::size_t s = 0; s < sum.size(); ++s) sum[s] = (sum[s] + std::abs(row[s])) * t;
      }
    }
  };

  double W(std::size_t i, std::size_t j) const {
    for (int k = net_.row_start[i]; k < net_.row_start[i + 1]; ++k)
      if (at(net_.column[at(k)]) == j) return net_.W[at(k)];
    return 0;
  }
  double energy(std::size_t i) const {
    if (x_[i] <= 0) return 0;
    return net_.stiffness[i] * std::pow(x_[i], 1 + law_.exponent) / (1 + law_.exponent);
  }
  bool pushes(std::size_t i) const { return contact_[i].phase != Phase::away; }
  // Below this a contact that comes does not begin at x = 0 but is waited for.
  double slow() const { return 1e-6 * speed_; }
  // Where a contact that is away begins to push: one that merely touches has to have some
  // indentation first, whose force is rounding.
  double threshold(std::size_t i) const {
    return contact_[i].touches ? wake_ * indentation_[i] : 0.0;
  }

  // Changes of phase.
  void begin(std::size_t i) {
    Contact& contact = contact_[i];
    if (!contact.touches || u_[i] < -slow()) x_[i] = 0;
    contact.starts = x_[i] == 0;
    contact.phase = Phase::loading;
    contact.touches = false;
    contact.push_work = contact.level = 0;
    contact.loaded_from = energy(i);
    changed_ = true;
  }
  void end(std::size_t i) {
    contact_[i].phase = Phase::away;
    contact_[i].touches = true;
    x_[i] = 0;
    changed_ = true;
  }
  void turn(std::size_t i) {
    Contact& contact = contact_[i];
    changed_ = true;
    const double stored = energy(i), e = net_.restitution[i];
    if (contact.phase == Phase::unloading) {
      contact.phase = Phase::loading;
      contact.loaded_from = stored;
      contact.level = 0;
      return;
    }
    const double worked = std::max(0.0, stored - contact.loaded_from);
    contact.push_work += worked;
    contact.work += worked;
    contact.phase = Phase::unloading;
    // Of one stiffness: lets go where 1 − e*² of the work is left.
    if (law_.one_stiffness && e < 1)
      contact.level =
          std::pow((1 - e * e) * contact.push_work * (1 + law_.exponent) / net_.stiffness[i],
                   1 / (1 + law_.exponent));
    if (e == 0) end(i);
  }
  // A contact that was away comes to its threshold.
  void meet(std::size_t i) {
    if (contact_[i].touches || u_[i] < -slow()) {
      begin(i);
    } else {
      contact_[i].touches = true;
      changed_ = true;
    }
  }

  // Nothing closes, and no spring holds the energy to make it: faster than the tolerance.
  bool over() const {
    const double slowest = law_.tolerance * speed_;
    for (std::size_t i = 0; i < n_; ++i)
      if (u_[i] < -slowest) return false;
    for (std::size_t s = 0; s < pushing_; ++s)
      if (2 * energy(member_[s]) > mass_[member_[s]] * slowest * slowest) return false;
    return true;
  }
  // While nothing pushes, contacts fly: to where the first of them that closes touches.
  void arrive() {
    double until = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < n_; ++i)
      if (u_[i] < -law_.tolerance * speed_) until = std::min(until, std::min(x_[i], 0.0) / u_[i]);
    for (std::size_t i = 0; i < n_; ++i) {
      const double gap = x_[i] - until * u_[i];
      x_[i] = gap > -1e-14 * indentation_[i] ? 0 : gap;
      contact_[i].touches = x_[i] == 0;
    }
  }
  void begin_all() {
    for (std::size_t i = 0; i < n_; ++i)
      if (x_[i] == 0 && u_[i] < -law_.tolerance * speed_) begin(i);
    rebuild();
  }

  // A contact that closes while no other pushes, nor comes to push before it has opened again, goes
  // through its impact by itself: in closed form,
  //     u⁺ = −e* u⁻,   s = (1 + e*) x_m/|u⁻| B(η),   K x_m^(1+η)/(1+η) = u⁻²/(2W),
  // while a neighbour moves by −u s − W_ji ∫P ds, ∫P ds = (|u⁻| s − (1 − e*²) x_m)/W. False where
  // that does not hold.
  bool strike_alone() {
    std::size_t alone = none;
    for (std::size_t i = 0; i < n_; ++i) {
      if (x_[i] < 0 || u_[i] >= 0) continue;
      if (alone != none) return false;
      alone = i;
    }
    const double e = net_.restitution[alone];
    if (law_.one_stiffness && e > 0 && e < 1) return false;
    const double u_0 = -u_[alone], m = mass_[alone];
    const double deepest = indentation_[alone] * std::pow(u_0 / speed_, 2 / (1 + law_.exponent));
    const double duration = (1 + e) * deepest / u_0 * closing_time_;
    const double pushed = (u_0 * duration - (1 - e * e) * deepest) * m;  // ∫P ds
    const double P = (1 + e) * u_0 * m;

    after_ = x_;
    for (std::size_t i = 0; i < n_; ++i) after_[i] -= duration * u_[i];
    for (int k = net_.row_start[alone]; k < net_.row_start[alone + 1]; ++k) {
      if (net_.W[at(k)] > 0 && at(net_.column[at(k)]) != alone) return false;  // might push before
      after_[at(net_.column[at(k)])] -= net_.W[at(k)] * pushed;
    }
    after_[alone] = 0;
    for (std::size_t i = 0; i < n_; ++i)
      if (after_[i] > wake_ * indentation_[i]) return false;
    for (std::size_t i = 0; i < n_; ++i) x_[i] = std::min(after_[i], 0.0);
    P_[alone] += P;
    contact_[alone].work += 0.5 * u_0 * u_0 * m;
    for (int k = net_.row_start[alone]; k < net_.row_start[alone + 1]; ++k)
      u_[at(net_.column[at(k)])] += net_.W[at(k)] * P;
    u_[alone] = e * u_0;
    return true;
  }

  // Who pushes, who is next to one that does, and who flies towards a contact.
  void rebuild() {
    for (const std::size_t i : member_) slot_[i] = none;
    member_.clear();
    closing_.clear();
    entries_.clear();
    row_.assign(1, 0);
    steep_.clear();
    scale_x_.clear();
    const auto take = [&](std::size_t i) {
      if (slot_[i] != none) return;
      slot_[i] = member_.size();
      member_.push_back(i);
    };
    for (std::size_t i = 0; i < n_; ++i)
      if (pushes(i)) take(i);
    pushing_ = member_.size();
    for (std::size_t s = 0; s < pushing_; ++s)
      for (int k = net_.row_start[member_[s]]; k < net_.row_start[member_[s] + 1]; ++k)
        take(at(net_.column[at(k)]));
    for (const std::size_t i : member_) {
      const bool steep = contact_[i].phase == Phase::unloading && !law_.one_stiffness;
      scale_x_.push_back(1 / indentation_[i]);
      steep_.push_back(steep ? 1 / (net_.restitution[i] * net_.restitution[i]) : 1);
      for (int k = net_.row_start[i]; k < net_.row_start[i + 1]; ++k) {
        const std::size_t j = at(net_.column[at(k)]);
        if (pushes(j)) entries_.push_back({slot_[j], net_.W[at(k)]});
      }
      row_.push_back(entries_.size());
    }
    for (std::size_t i = 0; i < n_; ++i)
      if (slot_[i] == none && u_[i] < 0) closing_.push_back(i);
    for (Table* table : {&x_series_, &u_series_, &P_series_, &F_series_})
      table->resize(member_.size());
    changed_ = false;
  }

  // F_k of K x^η from x_0, …, x_k by the recurrence of powers,
  //     k x_0 F_k = Σ_j ((η + 1) j − k) x_j F_{k−j}.
  // A contact that starts has x = σ² X(σ), and F = K σ^(2η) X^η.
  double starting_force(std::size_t slot, std::size_t k) const {
    if (k < twice_exponent_) return 0;
    const std::size_t m = k - twice_exponent_;
    const double X_0 = x_series_[2][slot];
    if (m == 0) return net_.stiffness[member_[slot]] * power(X_0);
    double sum = 0;
    for (std::size_t j = 1; j <= m; ++j)
      sum += weight(j, m) * x_series_[j + 2][slot] * F_series_[k - j][slot];
    return sum / (static_cast<double>(m) * X_0);
  }
  void force_terms(std::size_t k) {
    double* F = F_series_[k];
    if (linear_) {
      for (std::size_t s = 0; s < pushing_; ++s)
        F[s] = net_.stiffness[member_[s]] * x_series_[k][s];
      return;
    }
    if (k == 0) {
      for (std::size_t s = 0; s < pushing_; ++s)
        F[s] = net_.stiffness[member_[s]] * power(x_series_[0][s]);
    } else {
      std::fill(F, F + pushing_, 0.0);
      for (std::size_t j = 1; j <= k; ++j) {
        const double w = weight(j, k) / static_cast<double>(k);
        const double *x = x_series_[j], *before = F_series_[k - j];
        for (std::size_t s = 0; s < pushing_; ++s) F[s] += w * x[s] * before[s];
      }
      for (std::size_t s = 0; s < pushing_; ++s) F[s] *= inverse_x_[s];
    }
    for (const std::size_t s : starting_) F[s] = starting_force(s, k);
  }
  double weight(std::size_t j, std::size_t k) const {
    return (law_.exponent + 1) * static_cast<double>(j) - static_cast<double>(k);
  }
  double power(double x) const {
    return law_.exponent == 1.5 ? x * std::sqrt(x) : std::pow(x, law_.exponent);
  }

  // Series of (1) in t, where s = t, or s = t² if a spring that is not linear starts: with as many
  // terms as a step of the length of those before needs, since what ends most steps is a change of
  // phase. Those in √s have gaps at first, and are given all.
  void expand() {
    starting_.clear();
    inverse_x_.clear();
    for (std::size_t s = 0; s < pushing_; ++s) {
      const double x = x_[member_[s]];
      inverse_x_.push_back(x > 0 ? 1 / x : 0);
      if (contact_[member_[s]].starts && !linear_) starting_.push_back(s);
    }
    for (std::size_t s = 0; s < member_.size(); ++s) {
      x_series_[0][s] = x_[member_[s]];
      u_series_[0][s] = u_[member_[s]];
      P_series_[0][s] = P_[member_[s]];
      x_series_[1][s] = u_series_[1][s] = P_series_[1][s] = 0;
    }
    const std::size_t hop = starting_.empty() ? 1 : 2;  // ∫ t^k ds = hop t^(k+hop)/(k+hop)
    double power_of_t = expected_;
    for (std::size_t k = 0; k + hop <= most_terms; ++k) {
      const double factor = static_cast<double>(hop) / static_cast<double>(k + hop);
      force_terms(k);
      const double *F = F_series_[k], *u = u_series_[k];
      double *P_next = P_series_[k + hop], *u_next = u_series_[k + hop],
             *x_next = x_series_[k + hop];
      for (std::size_t s = 0; s < pushing_; ++s) P_next[s] = factor * F[s];
      for (std::size_t s = 0; s < member_.size(); ++s) {
        double acceleration = 0;
        for (std::size_t e = row_[s]; e < row_[s + 1]; ++e)
          acceleration += entries_[e].W * F[entries_[e].slot];
        u_next[s] = factor * acceleration;
      }
      for (std::size_t s = 0; s < member_.size(); ++s) x_next[s] = -factor * steep_[s] * u[s];
      degree_ = k + hop;
      term_[degree_] = degree_ < 3 ? 0 : size_of_terms(degree_);
      if (hop == 2) continue;
      if (degree_ >= 4 && term_[degree_ - 1] * power_of_t <= local_ &&
          term_[degree_] * power_of_t * expected_ <= local_)
        break;
      power_of_t *= expected_;
    }
  }

  // The largest terms t^k, as parts of the deepest indentation and of the fastest approach.
  double size_of_terms(std::size_t k) const {
    const double *x = x_series_[k], *u = u_series_[k];
    // Two sides apart, for the processor to go on with one while it waits for the other.
    const std::size_t n = member_.size(), half = n / 2;
    double x_most[2] = {1e-300, 1e-300}, u_most[2] = {0, 0};
    const auto look = [&](std::size_t s, std::size_t side) {
      x_most[side] = std::max(x_most[side], std::abs(x[s]) * scale_x_[s]);
      u_most[side] = std::max(u_most[side], std::abs(u[s]));
    };
    for (std::size_t s = 0; s < half; ++s) {
      look(s, 0);
      look(half + s, 1);
    }
    if (n % 2 != 0) look(n - 1, 0);
    return std::max({x_most[0], x_most[1], scale_u_ * std::max(u_most[0], u_most[1])});
  }
  // The t up to which the last terms are within the local tolerance: two of them, and in √s as many
  // as may be missing between two that are not, 2η + 2 for x = σ², P ~ σ^(2η+2), x ~ σ^(2η+4), ….
  double reach() const {
    const std::size_t looked_at = starting_.empty() ? 2 : twice_exponent_ + 2;
    double reach = std::numeric_limits<double>::infinity();
    for (std::size_t k = degree_ - looked_at + 1; k <= degree_; ++k)
      reach = std::min(reach, std::pow(local_ / term_[k], 1 / static_cast<double>(k)));
    return reach;
  }

  void advance() {
    expand();
    const bool in_root = !starting_.empty();
    double t = std::min(reach(), in_root ? std::sqrt(longest_) : longest_);
    // The first change of phase within the step.
    std::size_t who = none;
    bool turns = false;
    const auto look = [&](std::size_t i, const Coefficients& c, double sign, bool is_turn) {
      const double crossing = first_crossing(c.data(), static_cast<int>(degree_), sign, t);
      if (crossing >= t) return;
      t = crossing;
      who = i;
      turns = is_turn;
    };
    x_sum_.resize(member_.size());
    u_sum_.resize(member_.size());
    x_series_.range(t, degree_, x_sum_);
    u_series_.range(t, degree_, u_sum_);
    for (std::size_t s = 0; s < member_.size(); ++s) {
      const std::size_t i = member_[s];
      const Contact& contact = contact_[i];
      const double level = pushes(i) ? contact.level : threshold(i);
      if (x_sum_[s] >= std::abs(x_[i] - level)) {
        Coefficients c = x_series_.of(s, degree_);
        c[0] -= level;
        look(i, c, pushes(i) ? 1 : -1, false);
      }
      if (pushes(i) && u_sum_[s] >= std::abs(u_[i]))
        look(i, u_series_.of(s, degree_), contact.phase == Phase::loading ? -1 : 1, true);
    }
    double length = in_root ? t * t : t;
    for (const std::size_t i : closing_) {
      const double arrival = (x_[i] - threshold(i)) / u_[i];
      if (arrival >= length) continue;
      length = std::max(arrival, 0.0);
      t = in_root ? std::sqrt(length) : length;
      who = i;
      turns = false;
    }
    x_series_.value(t, degree_, x_sum_);
    u_series_.value(t, degree_, u_sum_);
    for (std::size_t s = 0; s < member_.size(); ++s) {
      x_[member_[s]] = x_sum_[s];
      u_[member_[s]] = u_sum_[s];
    }
    x_sum_.resize(pushing_);
    P_series_.value(t, degree_, x_sum_);
    for (std::size_t s = 0; s < pushing_; ++s) P_[member_[s]] = x_sum_[s];
    for (std::size_t i = 0; i < n_; ++i)
      if (slot_[i] == none) x_[i] -= length * u_[i];
    expected_ = who == none ? std::min(4 * expected_, longest_)
                            : std::clamp(2 * length, 0.7 * expected_, 2 * expected_);
    if (t > 0)
      for (std::size_t s = 0; s < pushing_; ++s) contact_[member_[s]].starts = false;
    settle(who, turns);
  }

  // Changes the phases of all contacts that are due, of `who` in any case.
  void settle(std::size_t who, bool turns) {
    if (who != none) {
      if (turns) {
        u_[who] = 0;
        turn(who);
      } else if (pushes(who)) {
        end(who);
      } else {
        x_[who] = threshold(who);
        meet(who);
      }
    }
    for (const std::size_t i : member_) {
      Contact& contact = contact_[i];
      if (i == who) continue;
      if (pushes(i)) {
        if (contact.starts) continue;
        if (x_[i] <= contact.level)
          end(i);
        else if (contact.phase == Phase::loading ? u_[i] > 0 : u_[i] < 0)
          turn(i);
      } else if (x_[i] > threshold(i)) {
        meet(i);
      } else if (contact.touches && x_[i] < -wake_ * indentation_[i]) {
        contact.touches = false;
      }
    }
    if (changed_) rebuild();
  }

  const CompliantNetwork& net_;
  const LzbLaw& law_;
  std::size_t n_;
  bool linear_;
  std::size_t twice_exponent_;
  double closing_time_;
  std::vector<double> x_, u_, P_;
  std::vector<double> mass_, indentation_;  // 1/W_ii [kg], of a blow at full speed [m]
  double speed_ = 0;                        // fastest approach
  double local_ = 0, wake_ = 0;  // error of a step, indentation of no account: both relative
  double longest_ = 0;           // step
  std::vector<Contact> contact_;
  std::vector<std::size_t> member_;  // contacts with series: those that push first
  std::vector<std::size_t> slot_;    // in member_, of every contact
  std::size_t pushing_ = 0;
  std::vector<std::size_t> closing_;   // in straight lines
  std::vector<std::size_t> starting_;  // slots
  std::vector<Entry> entries_;         // W between members and those that push
  std::vector<std::size_t> row_;
  std::vector<double> steep_;  // c of (1)
  Table x_series_, u_series_, P_series_, F_series_;
  Coefficients term_{};
  std::size_t degree_ = most_terms;
  double expected_ = 0;  // length of the next step
  std::vector<double> scale_x_;
  double scale_u_ = 0;
  std::vector<double> inverse_x_, x_sum_, u_sum_;
  std::vector<double> after_;
  bool changed_ = false;
};

}  // namespace

bool has_series(double exponent) {
  return exponent >= 1 && 2 * exponent == std::round(2 * exponent) && exponent <= 4;
}

NetworkAnswer integrate_series(const CompliantNetwork& network, const LzbLaw& law) {
  return Springs(network, law).run();
}

}  // namespace talus
