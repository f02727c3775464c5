// SPDX-License-Identifier: Apache-2.0
// Vectors of C++ as numpy arrays, without copies.
#pragma once

#include <pybind11/numpy.h>

#include <memory>
#include <utility>
#include <vector>

#include "solvers/math/vec.hpp"

namespace talus {

namespace py = pybind11;

inline void make_read_only(py::array& array) {
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
}

// An array over numbers that `owner` keeps: one row per item, or a list where an item is one
// number. It cannot be written to.
inline py::array array_over(const double* data, std::size_t rows, int columns,
                            const py::handle& owner) {
  const auto n = static_cast<py::ssize_t>(rows);
  const auto m = static_cast<py::ssize_t>(columns);
  py::array_t<double> array = columns == 1
                                  ? py::array_t<double>(std::vector<py::ssize_t>{n}, data, owner)
                                  : py::array_t<double>({n, m}, data, owner);
  make_read_only(array);
  return array;
}

// Keeps a vector alive for as long as arrays over it are there.
template <class T>
std::pair<const T*, py::capsule> kept(std::vector<T>&& values) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  const T* const data = owned->data();
  py::capsule owner(owned.get(), [](void* v) { delete static_cast<std::vector<T>*>(v); });
  owned.release();
  return {data, std::move(owner)};
}

template <class T>
py::array array_of(std::vector<T> values) {
  const auto size = static_cast<py::ssize_t>(values.size());
  const auto [data, owner] = kept(std::move(values));
  return py::array_t<T>(std::vector<py::ssize_t>{size}, data, owner);
}

template <int D>
py::array array_of_vectors(std::vector<Vec<D>> values) {
  static_assert(sizeof(Vec<D>) == D * sizeof(double), "rows follow each other");
  const auto size = static_cast<py::ssize_t>(values.size());
  const auto [data, owner] = kept(std::move(values));
  return py::array_t<double>({size, py::ssize_t{D}}, reinterpret_cast<const double*>(data), owner);
}

// Numbers in the plane, rows in space.
template <int D>
py::array array_of_spins(std::vector<Spin<D>> values) {
  if constexpr (D == 3) {
    return array_of_vectors<3>(std::move(values));
  } else {
    std::vector<double> numbers;
    numbers.reserve(values.size());
    for (const Spin<2>& spin : values) numbers.push_back(spin[0]);
    return array_of(std::move(numbers));
  }
}

// w, x, y, z, as in the files.
inline py::array array_of_quaternions(const std::vector<Eigen::Quaterniond>& values) {
  std::vector<double> rows;
  rows.reserve(4 * values.size());
  for (const Eigen::Quaterniond& q : values) rows.insert(rows.end(), {q.w(), q.x(), q.y(), q.z()});
  const auto size = static_cast<py::ssize_t>(values.size());
  const auto [data, owner] = kept(std::move(rows));
  return py::array_t<double>({size, py::ssize_t{4}}, data, owner);
}

}  // namespace talus
