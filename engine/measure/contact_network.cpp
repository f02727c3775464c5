// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/contact_network.hpp"

#include <algorithm>
#include <limits>

#include "solvers/math/parallel.hpp"

namespace talus {

namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

template <int D>
bool pushes_within(const CutRegion<D>* region, const ActiveContact<D>& active) {
  return active.percussion[0] > 0 && (region == nullptr || region->contains(active.contact.point));
}

// Sum over the contacts that push within the region.
template <class Sum, int D, class F>
Sum total(const CutRegion<D>* region, std::span<const ActiveContact<D>> contacts, F add) {
  return parallel_total<Sum>(contacts.size(), [&](std::size_t first, std::size_t last) {
    Sum sum;
    for (const ActiveContact<D>& active : contacts.subspan(first, last - first))
      if (pushes_within<D>(region, active)) add(active, sum);
    return sum;
  });
}

}  // namespace

template <int D>
Mat<D> fabric_tensor(const CutRegion<D>* region, std::span<const ActiveContact<D>> contacts) {
  struct Sum {
    double contacts = 0;
    Mat<D> normals = Mat<D>::Zero();
    void operator+=(const Sum& other) {
      contacts += other.contacts;
      normals += other.normals;
    }
  };
  const Sum sum = total<Sum, D>(region, contacts, [](const ActiveContact<D>& active, Sum& part) {
    const Vec<D>& n = active.contact.normal;
    part.contacts += 1;
    part.normals += n * n.transpose();
  });
  return sum.contacts > 0 ? Mat<D>(sum.normals / sum.contacts) : Mat<D>::Constant(nothing);
}

template <int D>
void force_distribution(const CutRegion<D>* region, std::span<const ActiveContact<D>> contacts,
                        double h, std::span<double> row, const ForceHistogram& histogram) {
  struct Sum {
    double contacts = 0, impulse = 0, largest = 0;  // impulses [N s]
    void operator+=(const Sum& other) {
      contacts += other.contacts;
      impulse += other.impulse;
      largest = std::max(largest, other.largest);
    }
  };
  const Sum sum = total<Sum, D>(region, contacts, [](const ActiveContact<D>& active, Sum& part) {
    part += Sum{1, active.percussion[0], active.percussion[0]};
  });
  std::fill(row.begin(), row.end(), 0.0);
  if (sum.contacts == 0) {
    row[0] = row[1] = nothing;
    return;
  }
  const double mean = sum.impulse / sum.contacts;
  row[0] = mean / h;
  row[1] = sum.largest / h;
  const double per_bin = mean * histogram.largest / histogram.bins;
  for (const ActiveContact<D>& active : contacts) {
    if (!pushes_within<D>(region, active)) continue;
    const double bin = std::min(active.percussion[0] / per_bin, histogram.bins - 1.0);
    row[2 + static_cast<std::size_t>(bin)] += 1;
  }
}

#define TALUS_INSTANTIATE(D)                                                                  \
  template Mat<D> fabric_tensor<D>(const CutRegion<D>*, std::span<const ActiveContact<D>>);   \
  template void force_distribution<D>(const CutRegion<D>*, std::span<const ActiveContact<D>>, \
                                      double, std::span<double>, const ForceHistogram&);

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
