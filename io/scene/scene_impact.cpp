// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_impact.hpp"

#include <fmt/format.h>

#include <Eigen/Core>

namespace talus {

namespace {

LzbLaw read_lzb(const Fields& fields) {
  LzbLaw law;
  law.exponent = fields.number_or("exponent", law.exponent, {0.1, 10});
  law.one_stiffness = fields.flag_or("one_stiffness", law.one_stiffness);
  law.tolerance = fields.number_or("tolerance", law.tolerance, {1e-13, 1e-2});
  if (fields.has("max_steps")) law.max_steps = fields["max_steps"].whole(1, 1'000'000'000);
  return law;
}

// Reads a matrix as a list of rows of equal length.
Eigen::MatrixXd read_matrix(const Value& value, Interval allowed) {
  const std::vector<Value> rows = value.elements();
  Eigen::MatrixXd matrix;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::vector<double> row = rows[i].numbers(allowed);
    if (i == 0)
      matrix.resize(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(row.size()));
    if (static_cast<Eigen::Index>(row.size()) != matrix.cols()) {
      rows[i].fail(fmt::format("{} has {} numbers, the row before it {}", rows[i].name(),
                               row.size(), matrix.cols()));
    }
    for (std::size_t j = 0; j < row.size(); ++j)
      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = row[j];
  }
  return matrix;
}

MatrixLaw read_matrix_law(const Fields& fields) {
  MatrixLaw law;
  if (fields.has("neighbours")) law.neighbours = fields["neighbours"].numbers(non_negative);
  if (fields.has("matrix")) {
    law.E_nn = read_matrix(fields["matrix"], non_negative);
    if (law.E_nn.rows() != law.E_nn.cols()) {
      fields["matrix"].fail(
          fmt::format("matrix is {} × {}, not square", law.E_nn.rows(), law.E_nn.cols()));
    }
  }
  const Eigen::Index p = law.E_nn.rows();
  const auto block = [&](std::string_view key, Eigen::MatrixXd& E, Eigen::Index rows,
                         Eigen::Index columns) {
    if (!fields.has(key)) return;
    const Value value = fields[key];
    if (p == 0) value.fail(fmt::format("'{}' goes with 'matrix'", key));
    E = value.is_number() ? Eigen::MatrixXd::Constant(1, 1, value.number())
                          : read_matrix(value, any_number);
    if ((rows > 0 && E.rows() != rows) || (columns > 0 && E.cols() != columns)) {
      value.fail(fmt::format("{} is {} × {}; with a matrix of {} contacts it has {} {}", key,
                             E.rows(), E.cols(), p, p, rows > 0 ? "rows" : "columns"));
    }
  };
  block("normal_from_tangential", law.E_nt, p, 0);
  block("tangential_from_normal", law.E_tn, 0, p);
  block("tangential", law.E_tt, 0, 0);
  if (law.E_tt.rows() != law.E_tt.cols()) {
    fields["tangential"].fail(
        fmt::format("tangential is {} × {}, not square", law.E_tt.rows(), law.E_tt.cols()));
  }
  return law;
}

// An impact law and its keys beside `law` and `speed`.
struct Entry {
  std::string_view name;
  Keys keys;
  ImpactLaw (*read)(const Fields& fields);
};

const std::vector<Entry>& laws() {
  static const std::vector<Entry> table = {
      {"moreau", {}, [](const Fields&) -> ImpactLaw { return MoreauLaw{}; }},
      {"matrix",
       {"neighbours", "matrix", "normal_from_tangential", "tangential_from_normal", "tangential"},
       [](const Fields& fields) -> ImpactLaw { return read_matrix_law(fields); }},
      {"poisson", {}, [](const Fields&) -> ImpactLaw { return PoissonLaw{}; }},
      {"projection", {}, [](const Fields&) -> ImpactLaw { return ProjectionLaw{}; }},
      {"lzb",
       {"exponent", "one_stiffness", "tolerance", "max_steps"},
       [](const Fields& fields) -> ImpactLaw { return read_lzb(fields); }},
  };
  return table;
}

}  // namespace

ImpactSettings read_impact_law(const Value& value) {
  Keys names, all_keys = {"law", "speed"};
  for (const Entry& entry : laws()) {
    names.push_back(entry.name);
    all_keys.insert(all_keys.end(), entry.keys.begin(), entry.keys.end());
  }
  if (value.is_text()) {
    static const toml::table no_parameters;
    const Entry& entry = laws()[at(value.choice(names))];
    return {entry.read(Fields(value.source(), no_parameters, "impact_law", {})), {}};
  }
  if (!value.node().is_table())
    value.fail_value("is not the name of a law or a table { law = \"…\", … }");
  const Entry& entry = laws()[at(value.table("impact_law", all_keys)["law"].choice(names))];
  Keys keys = {"law", "speed"};
  keys.insert(keys.end(), entry.keys.begin(), entry.keys.end());
  const Fields fields = value.table("impact_law", keys);
  ImpactSettings settings{entry.read(fields), {}};
  if (fields.has("speed")) settings.speed = fields["speed"].number(non_negative);
  return settings;
}

}  // namespace talus
