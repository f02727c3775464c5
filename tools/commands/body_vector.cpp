// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/body_vector.hpp"

#include "io/text/finite_number.hpp"

namespace talus {

template <int D>
std::optional<Vec<D>> vector_in(std::string_view text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  text = text.substr(1, text.size() - 2);
  Vec<D> x;
  for (int k = 0; k < D; ++k) {
    const std::size_t comma = text.find(',');
    if ((comma == std::string_view::npos) != (k == D - 1)) return std::nullopt;
    std::string_view word = text.substr(0, comma);
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
    const std::optional<double> number = finite_number(word);
    if (!number) return std::nullopt;
    x[k] = *number;
    if (k < D - 1) text.remove_prefix(comma + 1);
  }
  return x;
}

template <int D>
std::optional<BodyVector<D>> body_vector(std::string_view text) {
  const std::size_t colon = text.rfind(":["), at = text.find("]@[");
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  const std::size_t end = at == std::string_view::npos ? text.size() : at + 1;
  if (end <= colon + 1) return std::nullopt;
  const auto vector = vector_in<D>(text.substr(colon + 1, end - colon - 1));
  if (!vector) return std::nullopt;
  BodyVector<D> found{std::string(text.substr(0, colon)), *vector, std::nullopt};
  if (at == std::string_view::npos) return found;
  found.point = vector_in<D>(text.substr(at + 2));
  if (!found.point) return std::nullopt;
  return found;
}

#define TALUS_INSTANTIATE(D)                                     \
  template std::optional<Vec<D>> vector_in<D>(std::string_view); \
  template std::optional<BodyVector<D>> body_vector<D>(std::string_view);
TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
