// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_motion.hpp"

#include <fmt/format.h>

#include <cmath>

#include "engine/model/acceleration.hpp"
#include "io/scene/scene_record.hpp"

namespace talus {

namespace {

Table read_table(const Value& value) {
  Table table;
  for (const Value& row : value.elements()) {
    const std::vector<double> pair = row.numbers();
    if (pair.size() != 2) row.fail_value("is not a pair [time, value]");
    if (!table.time.empty() && pair[0] <= table.time.back()) {
      row.fail(fmt::format("{}: time {} does not come after {}", row.name(), pair[0],
                           table.time.back()));
    }
    table.time.push_back(pair[0]);
    table.value.push_back(pair[1]);
  }
  return table;
}

Sinusoid read_sinusoid(const Fields& fields) {
  return {fields["amplitude"].number(), fields["frequency"].number(positive),
          fields.number_or("phase", 0), fields.number_or("offset", 0)};
}

// A signal of time alone, as a Signal or as the target of one that depends on measures.
template <class S>
S read_signal_of_time(const Value& value) {
  if (value.is_number()) return Constant{value.number()};
  if (!value.node().is_table()) {
    value.fail_value("is not a number, { table = … }, { sinusoid = … } or { file = … }");
  }
  const Fields fields = value.table({"table", "sinusoid", "file", "scale"});
  const std::string_view kind = fields.one_of({"table", "sinusoid", "file"});
  if (fields.has("scale") && kind != "file") fields["scale"].fail("'scale' goes with 'file'");
  if (kind == "table") return read_table(fields["table"]);
  if (kind == "sinusoid") {
    return read_sinusoid(fields["sinusoid"].table({"amplitude", "frequency", "phase", "offset"}));
  }
  Table record = parse_record(fields["file"].file_contents(), fields["file"].file_path().string());
  const double scale = fields.number_or("scale", 1);
  for (double& x : record.value) {
    x *= scale;
    if (!std::isfinite(x)) fields["scale"].fail_value("makes a value of the record infinite");
  }
  return record;
}

// { direction, acceleration = { table } or { file }, baseline }, integrated once.
Table read_acceleration(const Fields& fields) {
  const Signal signal = read_signal(fields["acceleration"]);
  const auto* const record = std::get_if<Table>(&signal);
  if (record == nullptr)
    fields["acceleration"].fail(
        "an acceleration is { table = … } or { file = … }: write other motions as a velocity");
  if (record->time.size() < 2)
    fields["acceleration"].fail("an acceleration needs two points in time at least");
  Baseline baseline = Baseline::none;
  if (fields.has("baseline")) {
    baseline = static_cast<Baseline>(fields["baseline"].choice({"none", "constant", "linear"}));
    if (baseline == Baseline::linear && record->time.size() < 3)
      fields["baseline"].fail("a linear baseline needs three points in time at least");
  }
  Table velocity = velocity_of_acceleration(*record, baseline);
  for (const double v : velocity.value)
    if (!std::isfinite(v)) fields["acceleration"].fail("the velocity of this record is infinite");
  return velocity;
}

Feedback read_feedback(const Fields& fields) {
  Feedback feedback;
  feedback.of = fields["measure"].text();
  feedback.target = read_signal_of_time<decltype(feedback.target)>(fields["target"]);
  feedback.gain = fields["gain"].number();
  feedback.offset = fields.number_or("offset", 0);
  feedback.limit = fields.number_or("limit", feedback.limit, positive);
  if (std::abs(feedback.offset) > feedback.limit)
    fields["offset"].fail(fmt::format("'offset' is beyond 'limit' = {}", feedback.limit));
  return feedback;
}

}  // namespace

Signal read_signal(const Value& value) {
  const toml::table* const table = value.node().as_table();
  if (table != nullptr && table->contains("measure"))
    return read_feedback(value.table({"measure", "target", "gain", "offset", "limit"}));
  return read_signal_of_time<Signal>(value);
}

template <int D>
Spin<D> read_axis(const Fields& fields) {
  if constexpr (D == 2) {
    if (fields.has("axis")) fields["axis"].fail("a rotation in the plane has no axis");
    return Spin<2>(1.0);
  } else {
    return fields["axis"].direction<3>();
  }
}

namespace {

// Motions add up, but no other motion may change a prescribed position or angle.
template <int D>
bool contradict(const Drive<D>& a, const Drive<D>& b) {
  using Kind = typename Drive<D>::Kind;
  const auto turns = [](const Drive<D>& d) {
    return d.kind == Kind::spin || d.kind == Kind::angle;
  };
  if (turns(a) != turns(b)) return false;
  if (turns(a)) return a.kind == Kind::angle || b.kind == Kind::angle;
  constexpr double right_angle = 1e-9;
  return (a.kind == Kind::position || b.kind == Kind::position) &&
         std::abs(a.direction.dot(b.direction)) > right_angle;
}

}  // namespace

template <int D>
std::vector<Drive<D>> read_drives(const Value& value) {
  using Kind = typename Drive<D>::Kind;
  std::vector<Drive<D>> drives;
  for (const Value& element : value.elements()) {
    const Fields fields = element.table(
        {"direction", "axis", "velocity", "position", "acceleration", "baseline", "spin", "angle"});
    const std::string_view kind =
        fields.one_of({"velocity", "position", "acceleration", "spin", "angle"});
    Drive<D> drive;
    if (fields.has("baseline") && kind != "acceleration")
      fields["baseline"].fail("'baseline' goes with 'acceleration'");
    if (kind == "velocity" || kind == "position" || kind == "acceleration") {
      if (fields.has("axis")) fields["axis"].fail(fmt::format("'{}' goes with 'direction'", kind));
      drive.kind = kind == "position" ? Kind::position : Kind::velocity;
      drive.direction = fields["direction"].template direction<D>();
    } else {
      if (fields.has("direction")) {
        fields["direction"].fail(fmt::format("'{}' is about an axis, not along a direction", kind));
      }
      drive.kind = kind == "spin" ? Kind::spin : Kind::angle;
      drive.axis = read_axis<D>(fields);
    }
    drive.signal =
        kind == "acceleration" ? Signal(read_acceleration(fields)) : read_signal(fields[kind]);
    if (depends_on_state(drive.signal) && (kind == "position" || kind == "angle"))
      fields[kind].fail(fmt::format("'{}' cannot follow a measure: drive the '{}'", kind,
                                    kind == "position" ? "velocity" : "spin"));
    for (const Drive<D>& other : drives) {
      if (contradict(drive, other)) {
        fields[kind].fail(fmt::format("'{}' contradicts another motion of the body", kind));
      }
    }
    drives.push_back(std::move(drive));
  }
  return drives;
}

template Spin<2> read_axis<2>(const Fields&);
template Spin<3> read_axis<3>(const Fields&);
template <int D>
Spin<D> read_spin(const Value& value) {
  if constexpr (D == 2) {
    return Spin<2>(value.number());
  } else {
    return value.vector<3>();
  }
}

template std::vector<Drive<2>> read_drives<2>(const Value&);
template std::vector<Drive<3>> read_drives<3>(const Value&);
template Spin<2> read_spin<2>(const Value&);
template Spin<3> read_spin<3>(const Value&);

}  // namespace talus
