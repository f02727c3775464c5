// SPDX-License-Identifier: Apache-2.0
#include "engine/model/expression.hpp"

#include <cassert>
#include <cmath>

namespace talus {

namespace {

using Operand = Expression::Value;
using Code = Expression::Code;

// g(a) with g' = slope.
Operand chain(double g, double slope, const Operand& a) {
  Operand result{g, {}};
  for (std::size_t i = 0; i < a.slope.size(); ++i) result.slope[i] = slope * a.slope[i];
  return result;
}

// g(a, b) with its two partial derivatives.
Operand chain(double g, double by_a, const Operand& a, double by_b, const Operand& b) {
  Operand result{g, {}};
  for (std::size_t i = 0; i < a.slope.size(); ++i)
    result.slope[i] = by_a * a.slope[i] + by_b * b.slope[i];
  return result;
}

bool is_constant(const Operand& a) {
  for (const double slope : a.slope)
    if (slope != 0) return false;
  return true;
}

// aᵇ; for a constant b also where a ≤ 0.
Operand power(const Operand& a, const Operand& b) {
  if (is_constant(b)) {
    if (b.f == 2) return chain(a.f * a.f, 2 * a.f, a);
    const double slope = b.f == 0 ? 0 : b.f * std::pow(a.f, b.f - 1);
    return chain(std::pow(a.f, b.f), slope, a);
  }
  const double value = std::pow(a.f, b.f);
  return chain(value, value * b.f / a.f, a, value * std::log(a.f), b);
}

Operand of_one(Code code, const Operand& a) {
  switch (code) {
    case Code::negate:
      return chain(-a.f, -1, a);
    case Code::absolute:
      return a.f < 0 ? chain(-a.f, -1, a) : a;
    case Code::square_root:
      return chain(std::sqrt(a.f), 0.5 / std::sqrt(a.f), a);
    case Code::exponential:
      return chain(std::exp(a.f), std::exp(a.f), a);
    case Code::logarithm:
      return chain(std::log(a.f), 1 / a.f, a);
    case Code::sine:
      return chain(std::sin(a.f), std::cos(a.f), a);
    case Code::cosine:
      return chain(std::cos(a.f), -std::sin(a.f), a);
    case Code::tangent: {
      const double tangent = std::tan(a.f);
      return chain(tangent, 1 + tangent * tangent, a);
    }
    case Code::arctangent:
      return chain(std::atan(a.f), 1 / (1 + a.f * a.f), a);
    default: {  // hyperbolic_tangent
      const double tangent = std::tanh(a.f);
      return chain(tangent, 1 - tangent * tangent, a);
    }
  }
}

Operand of_two(Code code, const Operand& a, const Operand& b) {
  switch (code) {
    case Code::add:
      return chain(a.f + b.f, 1, a, 1, b);
    case Code::subtract:
      return chain(a.f - b.f, 1, a, -1, b);
    case Code::multiply:
      return chain(a.f * b.f, b.f, a, a.f, b);
    case Code::divide:
      return chain(a.f / b.f, 1 / b.f, a, -a.f / (b.f * b.f), b);
    case Code::power:
      return power(a, b);
    case Code::minimum:
      return b.f < a.f ? b : a;
    case Code::maximum:
      return b.f > a.f ? b : a;
    default: {  // arctangent2
      const double squares = a.f * a.f + b.f * b.f;
      return chain(std::atan2(a.f, b.f), b.f / squares, a, -a.f / squares, b);
    }
  }
}

}  // namespace

int operands(Code code) {
  if (code == Code::number || code == Code::variable) return 0;
  return code < Code::negate ? 2 : 1;
}

Expression::Expression(std::string text, std::vector<Operation> program)
    : text_(std::move(text)), program_(std::move(program)) {}

Expression::Value Expression::operator()(const std::array<double, variables>& at) const {
  std::array<Operand, deepest> stack;
  std::size_t top = 0;  // operands on the stack
  for (const Operation& operation : program_) {
    if (operation.code == Code::number) {
      stack[top++] = {operation.value, {}};
    } else if (operation.code == Code::variable) {
      const auto which = static_cast<std::size_t>(operation.value);
      stack[top] = {at[which], {}};
      stack[top++].slope[which] = 1;
    } else if (operands(operation.code) == 1) {
      stack[top - 1] = of_one(operation.code, stack[top - 1]);
    } else {
      --top;
      stack[top - 1] = of_two(operation.code, stack[top - 1], stack[top]);
    }
    assert(top >= 1 && top <= deepest && "the parser counts operands");
  }
  return top == 1 ? stack[0] : Operand{};
}

}  // namespace talus
