// SPDX-License-Identifier: Apache-2.0
#include "io/study/uncertainty.hpp"

#include <fmt/format.h>

#include <cmath>
#include <sstream>
#include <variant>

#include "io/scene/scene_reader.hpp"
#include "io/scene/scene_seeds.hpp"
#include "io/text/input_error.hpp"
#include "io/text/new_file.hpp"
#include "io/trajectory/csv.hpp"
#include "solvers/math/statistics.hpp"

namespace talus {

namespace {

enum : std::size_t { reference, half_step, tight_tolerance, first_seed };  // numbers of the cases

// Half the step; what is written and measured comes at the same times as before.
template <int D>
std::vector<std::string> half_step_settings(const Scene<D>& scene) {
  std::vector<std::string> settings = {fmt::format("time.step={}", scene.h / 2),
                                       fmt::format("time.save_every={}", 2 * scene.save_every)};
  for (std::size_t i = 0; i < scene.measures.size(); ++i)
    settings.push_back(fmt::format("measure.{}.every={}", i, 2 * scene.measures[i].every));
  return settings;
}

std::string toml_string(const std::string& text) {
  std::ostringstream out;
  out << toml::value<std::string>(text);
  return out.str();
}

std::string toml_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ", ") + toml_string(text);
  return "[" + list + "]";
}

ErrorBar around(double centre, double half_width) {
  return {centre - half_width, centre + half_width};
}

}  // namespace

Study uncertainty_study(const std::filesystem::path& scene, const std::vector<std::string>& set,
                        int seeds, const std::filesystem::path& folder) {
  const SceneDocument document = read_scene(scene, set);
  const SceneSource source(document.text, document.path, set);
  const std::vector<SceneSeed> random = scene_seeds(source);

  std::vector<std::string> values = {"reference", "half step", "tight tolerance"};
  std::vector<std::vector<std::string>> settings(3);
  std::visit(
      [&](const auto& of_dimension) {
        settings[half_step] = half_step_settings(of_dimension);
        settings[tight_tolerance] = {
            fmt::format("solver.tolerance={}", of_dimension.solver.tolerance / 10)};
      },
      document.scene);
  for (int k = 1; k < seeds && !random.empty(); ++k) {
    values.push_back(fmt::format("seed {}", k + 1));
    settings.emplace_back();
    for (const SceneSeed& seed : random)
      settings.back().push_back(fmt::format("{}={}", seed.key, seed.value + k));
  }

  const std::filesystem::path from_there =
      std::filesystem::absolute(scene).lexically_normal().lexically_relative(
          std::filesystem::absolute(folder).lexically_normal());
  std::string text = fmt::format("scene = {}\n", toml_string(from_there.string()));
  if (!set.empty()) text += fmt::format("set = {}\n", toml_list(set));
  text += fmt::format("\n[[axis]]\nname = \"variant\"\nvalues = {}\nset = [\n", toml_list(values));
  for (const auto& of_value : settings) text += fmt::format("  {},\n", toml_list(of_value));
  return read_study_text(text + "]\n", folder / "study.toml");
}

std::vector<UncertainQuantity> uncertainties(const std::vector<CaseFigures>& cases) {
  std::vector<UncertainQuantity> table;
  for (const StudyQuantity& quantity : quantities(cases)) {
    const std::vector<double>& q = quantity.values;
    UncertainQuantity result;
    result.name = quantity.name;
    result.value = q[reference];
    result.step = around(q[half_step], 3 * std::abs(q[reference] - q[half_step]));
    result.solver = around(q[tight_tolerance], std::abs(q[reference] - q[tight_tolerance]));
    std::vector<double> of_seeds = {q[reference]};
    of_seeds.insert(of_seeds.end(), q.begin() + first_seed, q.end());
    const MeanInterval packing = mean_interval(of_seeds);
    result.seeds = packing.count;
    result.mean = packing.mean;
    result.deviation = packing.deviation;
    result.packing = around(packing.mean, packing.half_width);
    table.push_back(std::move(result));
  }
  return table;
}

void write_uncertainties(const std::vector<UncertainQuantity>& table,
                         const std::filesystem::path& folder) {
  std::string text =
      "quantity,value,step_low,step_high,solver_low,solver_high,seeds,packing_mean,packing_low,"
      "packing_high,packing_deviation\n";
  for (const UncertainQuantity& q : table) {
    text += csv_text(q.name);
    for (const double x : {q.value, q.step.low, q.step.high, q.solver.low, q.solver.high})
      text += "," + csv_number(x);
    text += fmt::format(",{}", q.seeds);
    for (const double x : {q.mean, q.packing.low, q.packing.high, q.deviation})
      text += "," + csv_number(x);
    text += "\n";
  }
  write_text_file(folder / "uncertainty.csv", text, Existing::replace);
}

}  // namespace talus
