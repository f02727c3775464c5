// SPDX-License-Identifier: Apache-2.0
#include "tools/view/run_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "io/check/check_text.hpp"
#include "io/text/printable.hpp"
#include "io/trajectory/series_columns.hpp"
#include "tools/draw/thinned.hpp"
#include "tools/terminal/json.hpp"
#include "tools/view/frame_chunk.hpp"
#include "tools/view/packed_column.hpp"

namespace talus {

namespace {

constexpr std::size_t frames_per_chunk = 16;
constexpr std::size_t most_rows = 4000;  // of a series; longer ones are thinned
constexpr std::size_t most_missed = 2000;

std::string number(double value) {
  return std::isfinite(value) ? fmt::format("{:.9g}", value) : "null";
}

template <class Values, class Text>
std::string list(const Values& values, Text&& text) {
  std::string joined;
  for (const auto& value : values) joined += (joined.empty() ? "" : ",") + text(value);
  return "[" + joined + "]";
}

template <class Values>
std::string numbers(const Values& values) {
  return list(values, [](auto value) { return number(static_cast<double>(value)); });
}

std::string texts(const std::vector<std::string>& values) {
  return list(values, [](const std::string& text) { return json_string(text); });
}

std::string shape_text(const StoredShape& shape) {
  std::vector<double> vertices;
  for (const Vec<3>& v : shape.surface.vertices)
    vertices.insert(vertices.end(), v.data(), v.data() + 3);
  std::vector<int> types;
  std::vector<double> parameters;
  for (const StoredPart& part : shape.parts) {
    types.push_back(static_cast<int>(part.type));
    parameters.insert(parameters.end(), part.parameters.begin(), part.parameters.end());
  }
  return JsonObject()
      .raw("vertices", numbers(vertices))
      .raw("corner", numbers(shape.surface.corner))
      .raw("start", numbers(shape.surface.start))
      .raw("part_start", numbers(shape.surface.part_start))
      .raw("part_type", numbers(types))
      .raw("part_parameters", numbers(parameters))
      .text();
}

std::string column_text(const std::string& name, const std::string& unit,
                        const std::vector<double>& values) {
  const std::vector<double> kept = thinned(values, most_rows);
  return JsonObject()
      .add("name", name)
      .add("unit", unit)
      .raw("values", packed(std::span<const double>(kept)))
      .text();
}

// Columns in which anything is not zero, the total energy, and the sums of works.
std::string series_text(const Series& series) {
  std::vector<std::string> columns;
  for_each_series_column([&]<class T>(const char* name, const char* unit, T Certificate::*member) {
    std::vector<double> values;
    for (const Certificate& step : series.steps)
      values.push_back(static_cast<double>(step.*member));
    if (std::all_of(values.begin(), values.end(), [](double v) { return v == 0; })) return;
    columns.push_back(column_text(name, unit, values));
    if (!std::string_view(name).ends_with("_work")) return;
    std::partial_sum(values.begin(), values.end(), values.begin());
    columns.push_back(column_text(std::string(name) + "_sum", unit, values));
  });
  std::vector<double> total;
  for (const Certificate& step : series.steps) total.push_back(step.kinetic + step.potential);
  columns.push_back(column_text("total_energy", "J", total));
  if (!series.wall_seconds.empty())
    columns.push_back(column_text("wall_seconds", "s", series.wall_seconds));
  return fmt::format(R"({{"rows": {}, "thinned": {}, "columns": [{}]}})", series.steps.size(),
                     series.steps.size() > most_rows, fmt::join(columns, ", "));
}

std::string measure_text(const MeasureSeries& measure) {
  std::vector<std::string> columns = {column_text("time", "s", measure.time)};
  for (std::size_t k = 0; k < measure.columns.size(); ++k)
    columns.push_back(column_text(measure.columns[k], "", measure.values[k]));
  return fmt::format(R"({{"name": {}, "rows": {}, "thinned": {}, "columns": [{}]}})",
                     json_string(measure.name), measure.rows(), measure.rows() > most_rows,
                     fmt::join(columns, ", "));
}

// Times of the steps that missed their tolerance.
std::vector<double> missed_times(const Series& series) {
  std::vector<double> missed;
  for (const Certificate& step : series.steps)
    if (!step.converged) missed.push_back(step.time);
  return missed;
}

std::string certificate_text(const TrajectoryReader& run, const std::filesystem::path& file) {
  if (!run.header().complete)
    return JsonObject()
        .add("verdict", "not complete: still running, or stopped before its end")
        .raw("passed", "null")
        .raw("lines", "[]")
        .text();
  const RunCheck check = check_run(run);
  const Integrity integrity = check_integrity(file);
  return JsonObject()
      .add("verdict", verdict(check, integrity))
      .add("passed", check.passed() && integrity.sound())
      .raw("lines", texts(certificate_lines(check, integrity)))
      .text();
}

std::vector<std::string> notes(const TrajectoryReader& run, const Shown& shown) {
  std::vector<std::string> notes;
  if (shown.every > 1)
    notes.push_back(run.header().complete
                        ? fmt::format("Thinned: one frame in {} of {} is shown.", shown.every,
                                      run.frames().size())
                        : fmt::format("Thinned: one frame in {} is shown.", shown.every));
  if (shown.contact_share < 1)
    notes.push_back(
        fmt::format("Thinned: of each frame the strongest {:.0f} % of the contacts are shown.",
                    100 * shown.contact_share));
  return notes;
}

}  // namespace

Shown shown_within(const TrajectoryReader& run, std::size_t expected, double bytes) {
  Shown shown;
  const std::size_t count = run.frames().size();
  if (count == 0) return shown;
  // Neighbouring frames in four places.
  const double quantum = position_quantum(run);
  double body_bytes = 0, contact_bytes = 0, sampled = 0;
  for (const std::size_t place : {0u, 1u, 2u, 3u}) {
    std::vector<std::size_t> frames(std::min(count, frames_per_chunk / 2));
    std::iota(frames.begin(), frames.end(), place * (count - frames.size()) / 3);
    const ChunkText chunk = frame_chunk(run, frames, quantum, 1);
    contact_bytes += static_cast<double>(chunk.contact_bytes);
    body_bytes += static_cast<double>(chunk.json.size() - chunk.contact_bytes);
    sampled += static_cast<double>(frames.size());
  }
  const double bodies = body_bytes / sampled, contacts = contact_bytes / sampled;
  constexpr double reserve = 0.85, least_share = 0.4;
  const double budget = std::max(0.0, reserve * bytes);
  const auto frames = static_cast<double>(std::max(count, expected));
  if (frames * (bodies + contacts) <= budget) return shown;
  const double needed = frames * (bodies + least_share * contacts);
  shown.every =
      std::clamp<std::size_t>(static_cast<std::size_t>(std::ceil(needed / std::max(budget, 1.0))),
                              1, std::max(count, expected));
  const double left = budget / (frames / static_cast<double>(shown.every)) - bodies;
  shown.contact_share = contacts > 0 ? std::clamp(left / contacts, 0.01, 1.0) : 1;
  return shown;
}

std::string title_of(const TrajectoryReader& run) {
  const std::string& scene = run.header().scene_text;
  std::string line = scene.substr(0, scene.find('\n'));
  if (!line.starts_with("#")) return {};
  line.erase(0, line.find_first_not_of("# "));
  const std::size_t name = line.find(".toml: ");
  if (name != std::string::npos) line.erase(0, name + 7);
  return printable(line);
}

std::string fixed_text(const TrajectoryReader& run, const std::filesystem::path& file,
                       const Shown& shown, const std::string& live) {
  const RunHeader& header = run.header();
  const BodyTable& bodies = run.bodies();
  JsonObject body;
  body.raw("name", texts(bodies.name)).raw("shape", numbers(bodies.shape));
  body.raw("material", numbers(bodies.material)).raw("fixed", numbers(bodies.fixed));
  body.raw("mass", numbers(bodies.mass)).raw("radius", numbers(bodies.radius));
  body.raw("diameter", numbers(bodies.diameter));
  JsonObject joints;
  if (header.joints > 0 && !run.frames().empty()) {
    const FrameJoints first = run.joints(0);
    joints.raw("a", numbers(first.body_a)).raw("b", numbers(first.body_b));
  }
  return JsonObject()
      .add("name", printable(file.stem().string()))
      .add("title", title_of(run))
      .add("dimension", header.dimension)
      .raw("gravity", numbers(header.gravity))
      .add("h", header.h)
      .add("tolerance", header.tolerance)
      .add("version", header.version)
      .add("created", header.created)
      .add("command", header.command_line)
      .add("quantum", position_quantum(run))
      .raw("notes", texts(notes(run, shown)))
      .add("varies", header.population_varies())
      .raw("materials", texts(run.materials()))
      .raw("bodies", body.text())
      .raw("shapes", list(run.shapes(), shape_text))
      .raw("joints", joints.text())
      .raw("live", live)
      .text();
}

std::string growing_text(const TrajectoryReader& run, const std::filesystem::path& file) {
  const Series series = run.series();
  std::vector<double> missed = missed_times(series);
  const std::size_t misses = missed.size();
  if (misses > most_missed) {  // marks closer than a pixel
    std::vector<double> some;
    for (std::size_t k = 0; k < most_missed; ++k) some.push_back(missed[k * misses / most_missed]);
    missed = some;
  }
  return JsonObject()
      .add("complete", run.header().complete)
      .add("frames", run.frames().size())
      .add("end", run.header().end)
      .add("steps", series.steps.size())
      .add("missed_steps", misses)
      .raw("missed", numbers(missed))
      .raw("series", series_text(series))
      .raw("measures", list(run.measures(), measure_text))
      .raw("certificate", certificate_text(run, file))
      .text();
}

std::vector<std::int64_t> frame_steps(const TrajectoryReader& run) {
  std::vector<std::int64_t> steps;
  for (const Frame& frame : run.frames()) steps.push_back(frame.step);
  return steps;
}

std::vector<std::size_t> shown_frames(std::span<const std::int64_t> steps, bool complete,
                                      std::int64_t after, std::size_t every) {
  std::vector<std::size_t> frames;
  const std::size_t count = steps.size();
  const auto from =
      static_cast<std::size_t>(std::upper_bound(steps.begin(), steps.end(), after) - steps.begin());
  for (std::size_t k = (from + every - 1) / every * every; k < count; k += every)
    frames.push_back(k);
  const bool last_shown = count == 0 || (count - 1) % every == 0;
  if (complete && !last_shown && from < count) frames.push_back(count - 1);
  return frames;
}

Chunks chunk_texts(const TrajectoryReader& run, std::int64_t after, const Shown& shown,
                   std::size_t bytes) {
  const double quantum = position_quantum(run);
  const std::vector<std::size_t> frames =
      shown_frames(frame_steps(run), run.header().complete, after, shown.every);
  Chunks chunks;
  std::size_t size = 0;
  for (std::size_t k = 0; k < frames.size(); k += frames_per_chunk) {
    if (size > bytes) {
      chunks.all = false;
      break;
    }
    const std::span<const std::size_t> some(frames.data() + k,
                                            std::min(frames_per_chunk, frames.size() - k));
    chunks.texts.push_back(frame_chunk(run, some, quantum, shown.contact_share).json);
    size += chunks.texts.back().size();
  }
  return chunks;
}

}  // namespace talus
