// SPDX-License-Identifier: Apache-2.0
// Fabric and force distribution of contacts that are known in closed form.
#include "engine/measure/contact_network.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "solvers/math/parallel.hpp"

using namespace talus;

namespace {

template <int D>
ActiveContact<D> contact(const Vec<D>& normal, double percussion, const Vec<D>& point) {
  ActiveContact<D> active;
  active.contact.normal = normal.normalized();
  active.contact.point = point;
  active.frame = frame_of_normal<D>(active.contact.normal);
  active.percussion = percussion * Vec<D>::Unit(0);
  return active;
}

template <int D>
std::vector<ActiveContact<D>> all_of(const std::vector<Vec<D>>& normals) {
  std::vector<ActiveContact<D>> contacts;
  for (const Vec<D>& n : normals) contacts.push_back(contact<D>(n, 1, Vec<D>::Zero()));
  return contacts;
}

}  // namespace

TEST_CASE("lattices of equal balls have isotropic fabric") {
  std::vector<Vec<3>> cubic, face_centred;
  for (int i = 0; i < 3; ++i) cubic.push_back(Vec<3>::Unit(i));
  for (int i = 0; i < 3; ++i)
    for (const double sign : {-1.0, 1.0}) {
      Vec<3> n = Vec<3>::Ones() - Vec<3>::Unit(i);
      n[(i + 1) % 3] = sign;
      face_centred.push_back(n);
    }
  for (const auto& normals : {cubic, face_centred})
    CHECK((fabric_tensor<3>(nullptr, all_of<3>(normals)) - Mat<3>::Identity() / 3).norm() < 1e-15);
  std::vector<Vec<2>> hexagonal;
  for (int k = 0; k < 3; ++k)
    hexagonal.emplace_back(std::cos(k * std::numbers::pi / 3), std::sin(k * std::numbers::pi / 3));
  CHECK((fabric_tensor<2>(nullptr, all_of<2>(hexagonal)) - Mat<2>::Identity() / 2).norm() < 1e-15);
}

TEST_CASE("a lattice of rhombi with an acute angle has the fabric of its two directions") {
  for (const double angle : {0.5, 1.1, 1.4}) {
    const double c = std::cos(angle), s = std::sin(angle);
    Mat<2> expected;
    expected << (1 + c * c) / 2, c * s / 2, c * s / 2, s * s / 2;
    CHECK((fabric_tensor<2>(nullptr, all_of<2>({{1, 0}, {c, s}})) - expected).norm() < 1e-15);
  }
}

TEST_CASE("contacts that do not push, or lie outside, are not in the fabric") {
  const CutRegion<2> region(box<2>({2, 2}));
  std::vector<ActiveContact<2>> contacts = {contact<2>({1, 0}, 1, {0.9, 0}),
                                            contact<2>({0, 1}, 1, {1.1, 0}),
                                            contact<2>({0, 1}, 0, {0, 0})};
  const Mat<2> fabric = fabric_tensor<2>(&region, contacts);
  CHECK(fabric(0, 0) == 1);
  CHECK(fabric(1, 1) == 0);
  contacts[0].percussion.setZero();
  CHECK(std::isnan(fabric_tensor<2>(&region, contacts)(0, 0)));
}

TEST_CASE("evenly spread forces fill the bins evenly, whatever the number of threads") {
  constexpr double h = 1e-3;
  constexpr int N = 20000;
  std::vector<ActiveContact<3>> contacts;
  for (int k = 0; k < N; ++k)
    contacts.push_back(contact<3>({0, 0, 1}, h * (k + 0.5) / N, Vec<3>::Zero()));
  contacts.push_back(contact<3>({0, 0, 1}, 0, Vec<3>::Zero()));
  const ForceHistogram histogram{.bins = 10, .largest = 2};
  std::vector<double> row(12), again(12);
  force_distribution<3>(nullptr, contacts, h, row, histogram);
  CHECK(row[0] == doctest::Approx(0.5).epsilon(1e-12));
  CHECK(row[1] == doctest::Approx((N - 0.5) / N).epsilon(1e-12));
  for (std::size_t k = 2; k < row.size(); ++k) CHECK(std::abs(row[k] - N / 10.0) <= 1);
  const ThreadCount threads(3);
  force_distribution<3>(nullptr, contacts, h, again, histogram);
  CHECK(row == again);
}

TEST_CASE("the last bin takes all that is larger") {
  std::vector<ActiveContact<2>> contacts;
  for (const double f : {1.0, 1.0, 1.0, 97.0}) contacts.push_back(contact<2>({1, 0}, f, {0, 0}));
  std::vector<double> row(6);
  force_distribution<2>(nullptr, contacts, 1, row, {.bins = 4, .largest = 2});
  CHECK(row == std::vector<double>{25, 97, 3, 0, 0, 1});
}
