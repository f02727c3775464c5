// SPDX-License-Identifier: Apache-2.0
#include "io/trajectory/csv.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cmath>
#include <iterator>

#include "io/trajectory/series_columns.hpp"

namespace talus {

namespace {

void write(std::string_view text, std::FILE* out) {
  if (std::fwrite(text.data(), 1, text.size(), out) != text.size())
    throw CsvWriteError(errno != 0 ? errno : EIO);
}

// One line under construction.
class Line {
 public:
  template <class T>
  Line& add(const T& value) {
    fmt::format_to(std::back_inserter(text_), "{}{}", text_.size() > 0 ? "," : "", value);
    return *this;
  }
  Line& add(double value) { return add<std::string>(csv_number(value)); }
  Line& add(const Vec<3>& v) { return add(v[0]).add(v[1]).add(v[2]); }
  Line& add(const Eigen::Quaterniond& q) { return add(q.w()).add(q.x()).add(q.y()).add(q.z()); }

  Line& add_text(const std::string& text) { return add(csv_text(text)); }

  void print(std::FILE* out) {
    text_.push_back('\n');
    write({text_.data(), text_.size()}, out);
    text_.clear();
  }

 private:
  fmt::memory_buffer text_;
};

void write_series(const TrajectoryReader& run, std::FILE* out) {
  Line line;
  for_each_series_column([&](const char* name, const char*, auto) { line.add(name); });
  line.add("wall_seconds").print(out);
  const Series series = run.series();
  for (std::size_t i = 0; i < series.steps.size(); ++i) {
    for_each_series_column([&]<class T>(const char*, const char*, T Certificate::*member) {
      if constexpr (std::is_same_v<T, bool>)
        line.add(series.steps[i].*member ? 1 : 0);
      else
        line.add(series.steps[i].*member);
    });
    line.add(series.wall_seconds[i]).print(out);
  }
}

void write_bodies(const TrajectoryReader& run, std::FILE* out) {
  write("frame,step,time,body,name,x,y,z,qw,qx,qy,qz,vx,vy,vz,omega_x,omega_y,omega_z\n", out);
  Line line;
  for (std::size_t k = 0; k < run.frames().size(); ++k) {
    const Frame& frame = run.frames()[k];
    const FrameState state = run.state(k);
    for (std::size_t i = 0; i < state.body.size(); ++i) {
      const auto body = static_cast<std::size_t>(state.body[i]);
      line.add(k).add(frame.step).add(frame.time()).add(body).add_text(run.bodies().name[body]);
      line.add(state.position[i]).add(state.orientation[i]).add(state.velocity[i]);
      line.add(state.angular_velocity[i]).print(out);
    }
  }
}

void write_contacts(const TrajectoryReader& run, std::FILE* out) {
  write(
      "frame,step,time,body_a,body_b,x,y,z,nx,ny,nz,fx,fy,fz,ux,uy,uz,normal_force,gap,"
      "status,adhesion,mx,my,mz,cohesion,bond\n",
      out);
  Line line;
  for (std::size_t k = 0; k < run.frames().size(); ++k) {
    const Frame& frame = run.frames()[k];
    const FrameContacts contacts = run.contacts(k);
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      line.add(k).add(frame.step).add(frame.time());
      line.add(contacts.body_a[i]).add(contacts.body_b[i]);
      line.add(contacts.point[i]).add(contacts.normal[i]).add(contacts.force[i]);
      line.add(contacts.velocity[i]).add(contacts.normal_force[i]).add(contacts.gap[i]);
      line.add(static_cast<int>(contacts.status[i])).add(contacts.adhesion[i]);
      line.add(contacts.moment[i]).add(contacts.cohesion[i]).add(contacts.bond[i]).print(out);
    }
  }
}

}  // namespace

std::string csv_number(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value);  // 0/0 may have a sign
}

std::string csv_text(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

void write_csv(const TrajectoryReader& run, CsvTable table, std::FILE* out) {
  switch (table) {
    case CsvTable::series:
      return write_series(run, out);
    case CsvTable::bodies:
      return write_bodies(run, out);
    case CsvTable::contacts:
      return write_contacts(run, out);
  }
}

void write_csv(const MeasureSeries& measure, std::FILE* out) {
  Line line;
  line.add("step").add("time");
  for (const std::string& column : measure.columns) line.add_text(column);
  line.print(out);
  for (std::size_t i = 0; i < measure.rows(); ++i) {
    line.add(measure.step[i]).add(measure.time[i]);
    for (const std::vector<double>& column : measure.values) line.add(column[i]);
    line.print(out);
  }
}

}  // namespace talus
