// SPDX-License-Identifier: Apache-2.0
// Tables for other programs hold the numbers of the file, all digits of them.
#include "io/trajectory/csv.hpp"

#include <doctest/doctest.h>

#include <cerrno>

#include "io/trajectory/series_columns.hpp"
#include "tests/io/sample_run.hpp"

using namespace talus;
using namespace talus::sample;

namespace {

std::vector<std::vector<std::string>> table_of(const TrajectoryReader& run, CsvTable table,
                                               const std::filesystem::path& path) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  write_csv(run, table, file);
  std::fclose(file);
  std::vector<std::vector<std::string>> rows;
  std::istringstream text(content(path));
  for (std::string line; std::getline(text, line);) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

}  // namespace

TEST_CASE("a full disk does not go unnoticed, wherever a buffer ends") {
  const Folder folder;
  write_run<3>(folder / "run.h5", 25);
  const TrajectoryReader run(folder / "run.h5");
  for (std::size_t length = 32; length < 4096; length += 33) {
    CAPTURE(length);
    std::vector<char> buffer(length);
    std::FILE* const full = std::fopen("/dev/full", "w");
    REQUIRE(full != nullptr);
    std::setvbuf(full, buffer.data(), _IOFBF, length);
    int error = 0;
    try {
      write_csv(run, CsvTable::series, full);
      if (std::fflush(full) != 0) error = errno;
    } catch (const CsvWriteError& told) {
      error = told.code().value();
    }
    std::fclose(full);
    CHECK(error == ENOSPC);
  }
}

TEST_CASE("numbers keep their digits, and nan has no sign") {
  CHECK(csv_number(0.1) == "0.1");
  CHECK(csv_number(-1.0 / 3) == "-0.3333333333333333");
  CHECK(csv_number(-std::numeric_limits<double>::quiet_NaN()) == "nan");
  CHECK(csv_number(-std::numeric_limits<double>::infinity()) == "-inf");
}

TEST_CASE("the series has a line per step under the names of its columns") {
  const Folder folder;
  write_run<3>(folder / "run.h5", 25);
  const auto rows =
      table_of(TrajectoryReader(folder / "run.h5"), CsvTable::series, folder / "series.csv");
  REQUIRE(rows.size() == 26);
  std::size_t columns = 1;  // the wall seconds
  for_each_series_column([&](const char*, const char*, auto) { ++columns; });
  CHECK(rows[0].size() == columns);
  const auto column = [&](const std::string& name) {
    const auto found = std::find(rows[0].begin(), rows[0].end(), name);
    REQUIRE_MESSAGE(found != rows[0].end(), name);
    return static_cast<std::size_t>(found - rows[0].begin());
  };
  CHECK(rows[0][0] == "step");
  CHECK(rows[0][2] == "kinetic");
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const Certificate expected = certificate_at(1e-3, static_cast<std::int64_t>(i));
    REQUIRE(rows[i].size() == rows[0].size());
    CHECK(std::stoll(rows[i][0]) == expected.step);
    CHECK(std::stod(rows[i][1]) == expected.time);
    CHECK(std::stod(rows[i][2]) == expected.kinetic);
    CHECK(std::stod(rows[i][column("residual")]) == expected.error);
    CHECK(rows[i][column("converged")] == (expected.converged ? "1" : "0"));
  }
}

TEST_CASE_TEMPLATE("bodies have a line per body and frame", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const Folder folder;
  write_run<D>(folder / "run.h5", 30);
  const Scene<D> s = scene<D>();
  const auto rows =
      table_of(TrajectoryReader(folder / "run.h5"), CsvTable::bodies, folder / "bodies.csv");
  REQUIRE(rows.size() == 1 + 4 * 6);
  for (std::size_t row = 1; row < rows.size(); ++row) {
    const std::size_t frame = (row - 1) / 6, i = (row - 1) % 6;
    const Bodies<D> bodies = bodies_at<D>(s, static_cast<std::int64_t>(10 * frame));
    REQUIRE(rows[row].size() == 18);
    CHECK(std::stoull(rows[row][0]) == frame);
    CHECK(std::stoull(rows[row][1]) == 10 * frame);
    CHECK(std::stoull(rows[row][3]) == i);
    CHECK(rows[row][4] == s.bodies[i].name);
    for (std::size_t k = 0; k < 3; ++k) {
      CHECK(std::stod(rows[row][5 + k]) == in_space<D>(bodies.position[i])[static_cast<long>(k)]);
      CHECK(std::stod(rows[row][12 + k]) == in_space<D>(bodies.velocity[i])[static_cast<long>(k)]);
    }
    CHECK(std::stod(rows[row][8]) == quaternion<D>(bodies.orientation[i]).w());
  }
}

TEST_CASE("contacts have a line per contact and frame") {
  const Folder folder;
  write_run<3>(folder / "run.h5", 30);
  const TrajectoryReader run(folder / "run.h5");
  const auto rows = table_of(run, CsvTable::contacts, folder / "contacts.csv");
  std::size_t row = 1;
  for (std::size_t k = 0; k < run.frames().size(); ++k) {
    const FrameContacts contacts = run.contacts(k);
    for (std::size_t i = 0; i < contacts.size(); ++i, ++row) {
      REQUIRE(row < rows.size());
      REQUIRE(rows[row].size() == 26);
      CHECK(std::stoull(rows[row][0]) == k);
      CHECK(std::stoi(rows[row][3]) == contacts.body_a[i]);
      CHECK(std::stod(rows[row][11]) == contacts.force[i][0]);
      CHECK(std::stod(rows[row][17]) == contacts.normal_force[i]);
      CHECK(std::stoi(rows[row][19]) == contacts.status[i]);
      CHECK(std::stod(rows[row][21]) == contacts.moment[i][0]);
      CHECK(std::stod(rows[row][24]) == contacts.cohesion[i]);
      CHECK(std::stoi(rows[row][25]) == contacts.bond[i]);
    }
  }
  CHECK(row == rows.size());
}

TEST_CASE("a name with a comma or a quote stands in quotes") {
  const Folder folder;
  Scene<3> s = scene<3>();
  s.bodies[ball_body].name = "left, \"upper\" ball";
  auto writer =
      TrajectoryWriter<3>::create(folder / "run.h5", s, bodies_at<3>(s, 0), info(), false);
  writer.append_frame(0, 0, bodies_at<3>(s, 0), {});
  writer.close();
  table_of(TrajectoryReader(folder / "run.h5"), CsvTable::bodies, folder / "bodies.csv");
  CHECK(content(folder / "bodies.csv").find(",1,\"left, \"\"upper\"\" ball\",0,0,0.1,") !=
        std::string::npos);
}
