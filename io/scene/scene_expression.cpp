// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string_view>

#include "io/text/printable.hpp"
#include "io/text/spelling.hpp"

namespace talus {

namespace {

using Code = Expression::Code;

struct Function {
  std::string_view name;
  Code code;
};
constexpr Function functions[] = {
    {"abs", Code::absolute},     {"atan", Code::arctangent}, {"atan2", Code::arctangent2},
    {"cos", Code::cosine},       {"exp", Code::exponential}, {"log", Code::logarithm},
    {"max", Code::maximum},      {"min", Code::minimum},     {"sin", Code::sine},
    {"sqrt", Code::square_root}, {"tan", Code::tangent},     {"tanh", Code::hyperbolic_tangent}};

// Recursive descent:
//     sum     = product { (+|-) product }
//     product = factor { (*|/) factor }
//     factor  = (+|-) factor | atom [ ^ factor ]
//     atom    = number | variable | pi | function ( sum {, sum} ) | ( sum )
class Formula {
 public:
  Formula(const Value& value, int dimension)
      : value_(value), text_(value.text()), dimension_(dimension) {}

  Expression read() {
    sum();
    if (next() != '\0') fail(fmt::format("'{}' where the formula could end", printable(rest(1))));
    return {text_, std::move(program_)};
  }

 private:
  char next() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  std::string rest(std::size_t length) const { return text_.substr(at_, length); }

  [[noreturn]] void fail(std::string_view what) const {
    value_.fail(fmt::format("{} = \"{}\": {} (character {})", value_.name(), printable(text_), what,
                            std::min(at_, text_.size()) + 1));
  }

  void add(Code code, double number = 0) {
    program_.push_back({code, number});
    const int taken = operands(code);
    waiting_ += 1 - taken;
    if (waiting_ > static_cast<int>(Expression::deepest)) fail("the formula is nested too deeply");
  }

  void sum() {
    if (++depth_ > 100) fail("the formula is nested too deeply");
    product();
    for (char sign = next(); sign == '+' || sign == '-'; sign = next()) {
      ++at_;
      product();
      add(sign == '+' ? Code::add : Code::subtract);
    }
    --depth_;
  }

  void product() {
    factor();
    for (char sign = next(); sign == '*' || sign == '/'; sign = next()) {
      ++at_;
      factor();
      add(sign == '*' ? Code::multiply : Code::divide);
    }
  }

  void factor() {
    if (++depth_ > 100) fail("the formula is nested too deeply");
    const char sign = next();
    if (sign == '+' || sign == '-') {
      ++at_;
      factor();
      if (sign == '-') add(Code::negate);
    } else {
      atom();
      if (next() == '^') {
        ++at_;
        factor();
        add(Code::power);
      }
    }
    --depth_;
  }

  void atom() {
    const char first = next();
    if (first == '(') {
      ++at_;
      sum();
      close();
    } else if (std::isdigit(static_cast<unsigned char>(first)) || first == '.') {
      number();
    } else if (std::isalpha(static_cast<unsigned char>(first))) {
      name();
    } else if (first == '\0') {
      fail("ends where a number, a variable or a function is expected");
    } else {
      fail(fmt::format("'{}' where a number, a variable or a function is expected",
                       printable(rest(1))));
    }
  }

  void close() {
    if (next() != ')') fail("a bracket is not closed");
    ++at_;
  }

  void number() {
    double parsed = 0;
    const char* const end = text_.data() + text_.size();
    const auto [stop, error] = std::from_chars(text_.data() + at_, end, parsed);
    if (error != std::errc() || !std::isfinite(parsed)) fail("is no number");
    add(Code::number, parsed);
    at_ = static_cast<std::size_t>(stop - text_.data());
  }

  void name() {
    const std::size_t start = at_;
    std::size_t end = at_;
    while (end < text_.size() && std::isalnum(static_cast<unsigned char>(text_[end]))) ++end;
    const std::string word = text_.substr(start, end - start);
    constexpr std::string_view variables = "txyz";
    const std::size_t which = variables.find(word);
    if (word.size() == 1 && which != std::string_view::npos && which <= at_dimension()) {
      add(Code::variable, static_cast<double>(which));
      at_ = end;
    } else if (word == "pi") {
      add(Code::number, M_PI);
      at_ = end;
    } else {
      call(word, end);
    }
  }

  std::size_t at_dimension() const { return static_cast<std::size_t>(dimension_); }

  void call(const std::string& word, std::size_t end) {
    const auto* const found = std::ranges::find(functions, std::string_view(word), &Function::name);
    if (found == std::end(functions) && word.size() == 1)
      fail(fmt::format("'{}' is no variable (expected 't', 'x'{})", word,
                       dimension_ == 3 ? ", 'y' or 'z'" : " or 'y'"));
    if (found == std::end(functions)) {
      Keys known = {"t", "x", "y", "pi"};
      if (dimension_ == 3) known.push_back("z");
      for (const Function& function : functions) known.push_back(function.name);
      fail(fmt::format("'{}' is no variable and no function{}", word, hint(word, known)));
    }
    at_ = end;
    if (next() != '(') fail(fmt::format("'{}' without its bracket", word));
    ++at_;
    sum();
    if (operands(found->code) == 2) {
      if (next() != ',') fail(fmt::format("'{}' takes two arguments", word));
      ++at_;
      sum();
    }
    close();
    add(found->code);
  }

  const Value& value_;
  std::string text_;
  int dimension_;
  std::size_t at_ = 0;
  int depth_ = 0, waiting_ = 0;
  std::vector<Expression::Operation> program_;
};

}  // namespace

Expression read_expression(const Value& value, int dimension) {
  return Formula(value, dimension).read();
}

}  // namespace talus
