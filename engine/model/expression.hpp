// SPDX-License-Identifier: Apache-2.0
// A formula f(t, x) with its derivatives, by forward automatic differentiation.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "engine/geometry/space.hpp"

namespace talus {

// A postfix program. Variables are t, x, y and z, in this order.
class Expression {
 public:
  enum class Code {
    number,
    variable,
    add,
    subtract,
    multiply,
    divide,
    power,  // constant exponents only where the base is negative
    minimum,
    maximum,
    arctangent2,
    negate,
    absolute,
    square_root,
    exponential,
    logarithm,
    sine,
    cosine,
    tangent,
    arctangent,
    hyperbolic_tangent
  };
  struct Operation {
    Code code = Code::number;
    double value = 0;  // of a number; the index of a variable
  };

  static constexpr int variables = 4;
  static constexpr std::size_t deepest = 32;  // operands waiting at a time
  struct Value {
    double f = 0;
    std::array<double, variables> slope = {};
  };

  Expression() = default;
  // The program must leave one value and never need more than `deepest`.
  Expression(std::string text, std::vector<Operation> program);

  const std::string& text() const { return text_; }
  Value operator()(const std::array<double, variables>& at) const;

 private:
  std::string text_;
  std::vector<Operation> program_;
};

// How many operands an operation takes: 0, 1 or 2.
int operands(Expression::Code code);

// f, ∂f/∂t and ∇f.
template <int D>
struct FieldValue {
  double f = 0, rate = 0;
  Vec<D> gradient = Vec<D>::Zero();
};
template <int D>
FieldValue<D> field_at(const Expression& expression, double t, const Vec<D>& x) {
  std::array<double, Expression::variables> at = {t, x[0], x[1], 0};
  if constexpr (D == 3) at[3] = x[2];
  const Expression::Value value = expression(at);
  FieldValue<D> field{value.f, value.slope[0], Vec<D>::Zero()};
  for (int i = 0; i < D; ++i) field.gradient[i] = value.slope[static_cast<std::size_t>(i) + 1];
  return field;
}

}  // namespace talus
