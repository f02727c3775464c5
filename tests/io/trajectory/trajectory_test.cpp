// SPDX-License-Identifier: Apache-2.0
// What a run writes is what a reader finds.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "io/hdf5/hdf5_data.hpp"
#include "io/text/input_error.hpp"
#include "io/text/version.hpp"
#include "io/trajectory/integrity.hpp"
#include "io/trajectory/surface.hpp"
#include "io/trajectory/trajectory_reader.hpp"
#include "tests/io/sample_run.hpp"

using namespace talus;
using namespace talus::sample;

namespace {

template <class F>
std::string input_error_of(F&& f) {
  try {
    f();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Nothing may reach the file beyond its present size plus `bytes` while this lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::uint64_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_{};
};

template <int D>
void check_frame(const TrajectoryReader& reader, std::size_t k, const Scene<D>& scene) {
  const Frame& frame = reader.frames()[k];
  const auto step = static_cast<std::int64_t>(k) * scene.save_every;
  REQUIRE(frame.step == step);
  CHECK(frame.time() == static_cast<double>(step) * scene.h);

  const Bodies<D> bodies = bodies_at<D>(scene, step);
  const FrameState state = reader.state(k);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    CHECK(state.position[i] == in_space<D>(bodies.position[i]));
    CHECK(state.velocity[i] == in_space<D>(bodies.velocity[i]));
    CHECK(state.angular_velocity[i] == spin_in_space<D>(bodies.spin[i]));
    CHECK(state.orientation[i] == quaternion<D>(bodies.orientation[i]));
  }

  auto expected = contacts_at<D>(scene, step / scene.save_every);
  expected.pop_back();  // the one without percussion
  const FrameContacts contacts = reader.contacts(k);
  REQUIRE(contacts.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const ActiveContact<D>& active = expected[i];
    CHECK(contacts.body_a[i] == active.contact.key.a);
    CHECK(contacts.body_b[i] == active.contact.key.b);
    CHECK(contacts.gap[i] == active.contact.gap);
    CHECK(contacts.point[i] == in_space<D>(active.contact.point));
    CHECK(contacts.normal[i] == in_space<D>(active.contact.normal));
    CHECK(contacts.normal_force[i] == active.percussion[0] / scene.h);
    CHECK((contacts.force[i] - in_space<D>(active.frame * active.percussion) / scene.h).norm() <=
          1e-12 * contacts.force[i].norm());
    CHECK((contacts.velocity[i] - in_space<D>(active.frame * active.u_plus)).norm() <= 1e-14);
    CHECK(contacts.status[i] == (i % 2 == 1 ? 2 : 1));
  }
}

std::vector<float> read_floats(const std::filesystem::path& path, const char* dataset) {
  const hdf5::Handle file = hdf5::open_file(path, hdf5::Access::read);
  return hdf5::read_all<float>(file, dataset,
                               static_cast<int>(hdf5::extent(file, dataset).columns));
}

void truncate_to(const std::filesystem::path& path, std::uintmax_t size) {
  std::filesystem::resize_file(path, size);
}

void delete_link(const std::filesystem::path& path, const char* name) {
  const hdf5::Handle file = hdf5::open_file(path, hdf5::Access::write);
  H5Ldelete(file, name, H5P_DEFAULT);
}

void resize_dataset(const std::filesystem::path& path, const char* name, hsize_t rows) {
  const hdf5::Handle file = hdf5::open_file(path, hdf5::Access::write);
  const hdf5::Handle data(H5Dopen2(file, name, H5P_DEFAULT), name);
  const hsize_t extent[2] = {rows, hdf5::extent(file, name).columns};
  H5Dset_extent(data, extent);
}

}  // namespace

TEST_CASE_TEMPLATE("states and contacts come back bit for bit", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const Folder folder;
  write_run<D>(folder / "run.h5", 95);
  const Scene<D> s = scene<D>();
  const TrajectoryReader reader(folder / "run.h5");
  REQUIRE(reader.frames().size() == 10);
  for (std::size_t k = 0; k < 10; ++k) check_frame<D>(reader, k, s);
}

TEST_CASE_TEMPLATE("a file says how it was made", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const Folder folder;
  write_run<D>(folder / "run.h5", 0);
  const TrajectoryReader reader(folder / "run.h5");
  const RunHeader& header = reader.header();
  CHECK(header.dimension == D);
  CHECK(header.complete);
  CHECK(header.version == version());
  CHECK(header.scene_text == "# one of each\n");
  CHECK(header.command_line == "talus run sample.toml");
  CHECK(header.overrides == info().overrides);
  CHECK(header.h == 1e-3);
  CHECK(header.theta == 0.5);
  CHECK(header.gravity == Vec<3>(0, D == 2 ? -9.81 : 0, D == 2 ? 0 : -9.81));
  CHECK(header.tolerance == scene<D>().solver.tolerance);
  CHECK(header.threads == 2);
  CHECK(reader.materials() == std::vector<std::string>{"stone", "steel"});
  CHECK(reader.laws()(0, 1).friction == 0.3);
  CHECK(reader.laws()(1, 0).restitution == 0.2);

  const BodyTable& table = reader.bodies();
  const Bodies<D> bodies = bodies_at<D>(scene<D>(), 0);
  CHECK(table.name ==
        std::vector<std::string>{"floor", "ball", "block", "capsule", "dumb-bell", "wall"});
  CHECK(table.shape_type == std::vector<std::uint8_t>{4, 0, 1, 2, 3, 1});
  CHECK(table.fixed == std::vector<std::uint8_t>{1, 0, 0, 0, 0, 2});
  CHECK(table.mass == bodies.mass);
  CHECK(table.material == bodies.material);
  CHECK(table.diameter[ball_body] == 0.2);
  CHECK(table.diameter[block_body] == 0);
  for (double radius : table.radius) CHECK(std::isfinite(radius));
}

TEST_CASE("principal inertia and axes make up the inertia of a body") {
  Scene<3> s = scene<3>();
  s.bodies[compound_body].inertia = SpinMat<3>{{3, 0.5, 0.2}, {0.5, 4, -0.3}, {0.2, -0.3, 5}};
  const Folder folder;
  const Bodies<3> bodies = bodies_at<3>(s, 0);
  TrajectoryWriter<3>::create(folder / "run.h5", s, bodies, info(), false).close();
  const TrajectoryReader reader(folder / "run.h5");
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Mat<3> axes = reader.bodies().inertia_axes[i].matrix();
    const Mat<3> whole = axes * reader.bodies().inertia[i].asDiagonal() * axes.transpose();
    CHECK((whole - bodies.inertia[i]).norm() <= 1e-14 * bodies.inertia[i].norm());
  }
}

TEST_CASE("every step has its row in the series, with or without a frame") {
  const Folder folder;
  write_run<3>(folder / "run.h5", 95);
  const Series series = TrajectoryReader(folder / "run.h5").series();
  REQUIRE(series.steps.size() == 95);
  REQUIRE(series.wall_seconds.size() == 95);
  for (std::size_t i = 0; i < 95; ++i) {
    const Certificate expected = certificate_at(1e-3, static_cast<std::int64_t>(i) + 1);
    const Certificate& found = series.steps[i];
    CHECK(found.step == expected.step);
    CHECK(found.time == expected.time);
    CHECK(found.contacts == expected.contacts);
    CHECK(found.sticking == expected.sticking);
    CHECK(found.sliding == expected.sliding);
    CHECK(found.separating == expected.separating);
    CHECK(found.max_penetration == expected.max_penetration);
    CHECK(found.mean_penetration == expected.mean_penetration);
    CHECK(found.sweeps == expected.sweeps);
    CHECK(found.error == expected.error);
    CHECK(found.converged == expected.converged);
    CHECK(found.kinetic == expected.kinetic);
    CHECK(found.potential == expected.potential);
    CHECK(found.contact_work == expected.contact_work);
    CHECK(found.external_work == expected.external_work);
    CHECK(found.spring_work == expected.spring_work);
    CHECK(found.driven_work == expected.driven_work);
    CHECK(found.defect == expected.defect);
    CHECK(found.turnover == expected.turnover);
    CHECK(found.correction_work == expected.correction_work);
    CHECK(series.wall_seconds[i] == 1e-3);
  }
}

TEST_CASE_TEMPLATE("every contact of an impact has its row, in steps with and without a frame", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  const Folder folder;
  write_run<D>(folder / "run.h5", 95);
  const ImpactTable found = TrajectoryReader(folder / "run.h5").impacts();
  std::size_t row = 0;
  for (std::int64_t step = 1; step <= 95; ++step) {
    for (const ImpactedContact<D>& contact : impacts_at<D>(step)) {
      REQUIRE(row < found.size());
      CHECK(found.step[row] == step);
      CHECK(found.impact[row] == contact.impact);
      CHECK(found.body_a[row] == contact.a);
      CHECK(found.body_b[row] == contact.b);
      CHECK(found.normal[row] == in_space<D>(contact.normal));
      CHECK(found.percussion[row] == in_space<D>(contact.percussion));
      CHECK(found.velocity_before[row] == in_space<D>(contact.u_minus));
      CHECK(found.velocity_after[row] == in_space<D>(contact.u_plus));
      CHECK(found.work[row] == contact.work);
      CHECK(found.quasi_before[row] == contact.normal.dot(contact.u_minus) / 0.5);
      CHECK(found.quasi_after[row] == contact.normal.dot(contact.u_plus) / 0.5);
      const auto x = static_cast<double>(step);
      CHECK(found.normal_energy_before[row] == x);
      CHECK(found.tangential_energy_before[row] == 2 * x);
      CHECK(found.normal_energy_after[row] == 3 * x);
      CHECK(found.tangential_energy_after[row] == 4 * x);
      ++row;
    }
  }
  CHECK(row == found.size());
}

TEST_CASE_TEMPLATE("a file can be read while it is written, up to the last frame", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  const Folder folder;
  const Scene<D> s = scene<D>();
  auto writer =
      TrajectoryWriter<D>::create(folder / "run.h5", s, bodies_at<D>(s, 0), info(), false);
  write_steps<D>(writer, s, 0, 35);
  std::filesystem::copy_file(folder / "run.h5", folder / "seen.h5");
  const TrajectoryReader reader(folder / "seen.h5");
  CHECK_FALSE(reader.header().complete);
  REQUIRE(reader.frames().size() == 4);
  check_frame<D>(reader, 3, s);
  CHECK(reader.series().steps.size() == 30);
}

TEST_CASE_TEMPLATE("frames that may wait are written together, and all of them with a flush", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  const Folder folder;
  const Scene<D> s = scene<D>();
  const auto frames_in_file = [&] {
    std::filesystem::copy_file(folder / "run.h5", folder / "seen.h5",
                               std::filesystem::copy_options::overwrite_existing);
    return TrajectoryReader(folder / "seen.h5").frames().size();
  };
  {
    auto writer =
        TrajectoryWriter<D>::create(folder / "run.h5", s, bodies_at<D>(s, 0), info(), false);
    writer.let_frames_wait(3600);
    write_steps<D>(writer, s, 0, 35);
    CHECK(writer.frames() == 4);
    CHECK(frames_in_file() == 0);
    writer.flush();
    CHECK(frames_in_file() == 4);
    write_steps<D>(writer, s, 36, 45);
    writer.let_frames_wait(0);
    write_steps<D>(writer, s, 46, 46);  // a step without a frame lets none wait longer
    CHECK(frames_in_file() == 5);
    writer.let_frames_wait(3600);
    write_steps<D>(writer, s, 47, 65);
    CHECK(frames_in_file() == 5);
  }  // a run that ends with an error keeps its frames
  CHECK(frames_in_file() == 7);
  const TrajectoryReader reader(folder / "run.h5");
  for (std::size_t k = 0; k < 7; ++k) check_frame<D>(reader, k, s);
  CHECK(check_integrity(folder / "run.h5").sound());
}

TEST_CASE_TEMPLATE("a resumed file is the file of the run that was never stopped", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  const Folder folder;
  const Scene<D> s = scene<D>();
  write_run<D>(folder / "whole.h5", 95);
  {
    auto writer =
        TrajectoryWriter<D>::create(folder / "run.h5", s, bodies_at<D>(s, 0), info(), false);
    write_steps<D>(writer, s, 0, 72);
    writer.flush();  // … and stopped here; the last checkpoint was of step 45
  }
  auto writer = TrajectoryWriter<D>::resume(folder / "run.h5", s, 45);
  CHECK(writer.frames() == 5);
  CHECK_FALSE(TrajectoryReader(folder / "run.h5").header().complete);
  write_steps<D>(writer, s, 46, 95);
  writer.close();

  const TrajectoryReader whole(folder / "whole.h5"), run(folder / "run.h5");
  CHECK(run.header().complete);
  REQUIRE(run.frames().size() == whole.frames().size());
  for (std::size_t k = 0; k < run.frames().size(); ++k) check_frame<D>(run, k, s);
  REQUIRE(run.series().steps.size() == 95);
  for (std::size_t i = 0; i < 95; ++i)
    CHECK(run.series().steps[i].step == static_cast<std::int64_t>(i) + 1);
  CHECK(run.impacts().step == whole.impacts().step);
  CHECK(run.impacts().work == whole.impacts().work);
  CHECK(check_integrity(folder / "run.h5").sound());
  for (const char* dataset : {"/mesh/points", "/mesh/velocity", "/contacts/chain_points",
                              "/views/contacts/Vertices/Offsets", "/views/chains/Lines/Offsets",
                              "/views/contacts/Vertices/Connectivity"})
    CHECK(read_floats(folder / "run.h5", dataset) == read_floats(folder / "whole.h5", dataset));
}

TEST_CASE("a run is not resumed from a file that lacks steps, or that is of another scene") {
  const Folder folder;
  write_run<3>(folder / "run.h5", 20);
  const std::string run = (folder / "run.h5").string();
  CHECK(input_error_of([&] { TrajectoryWriter<3>::resume(run, scene<3>(), 25); }) ==
        run + ": knows only 20 of the 25 steps before the checkpoint");
  Scene<3> other = scene<3>();
  other.bodies.pop_back();
  CHECK(input_error_of([&] { TrajectoryWriter<3>::resume(run, other, 10); }) ==
        run + ": holds the run of another scene");
  CHECK(input_error_of([&] { TrajectoryWriter<2>::resume(run, scene<2>(), 10); }) ==
        run + ": holds the run of another scene");
  CHECK(TrajectoryReader(run).frames().size() == 3);
}

TEST_CASE("a run is not resumed from a file whose table claims more rows than it can hold") {
  const Folder folder;
  write_run<3>(folder / "run.h5", 20);
  const std::string run = (folder / "run.h5").string();
  resize_dataset(run, "/contacts/gap", hsize_t{1} << 60);
  CHECK(contains(input_error_of([&] { TrajectoryWriter<3>::resume(run, scene<3>(), 10); }),
                 "/contacts/gap claims 1152921504606846976 rows but stores"));
}

TEST_CASE_TEMPLATE("surfaces move with their bodies", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const Folder folder;
  const Scene<D> s = scene<D>();
  write_run<D>(folder / "run.h5", 90);
  const DrawnShapes drawn = draw_shapes<D>(bodies_at<D>(s, 0));
  for (const bool walls : {false, true}) {
    const std::vector<float> points =
        read_floats(folder / "run.h5", walls ? "/walls/points" : "/mesh/points");
    std::size_t next = 0;
    for (std::int64_t step = 0; step <= 90; step += 10) {
      const Bodies<D> bodies = bodies_at<D>(s, step);
      for (std::size_t i = 0; i < bodies.size(); ++i) {
        if (drawn.surface_of[i] < 0 || walls != (i == floor_body || i == wall_body)) continue;
        for (const auto& vertex :
             drawn.surfaces[static_cast<std::size_t>(drawn.surface_of[i])].vertices) {
          const Vec<3> x =
              in_space<D>(bodies.position[i]) + quaternion<D>(bodies.orientation[i]) * vertex;
          REQUIRE(next + 3 <= points.size());
          for (long k = 0; k < 3; ++k) CHECK(points[next++] == static_cast<float>(x[k]));
        }
      }
    }
    CHECK(next > 0);
    CHECK(next == points.size());
  }
}

// Five half-spaces around a packing: a floor and four sides.
TEST_CASE("plates of half-spaces form a box that is little larger than what it holds") {
  Scene<3> s = scene<3>();
  const BodyDescription<3> ball = s.bodies[ball_body], floor = s.bodies[floor_body];
  s.bodies = {floor};
  for (const double side : {-1.0, 1.0})
    for (const int axis : {0, 1}) {
      BodyDescription<3> wall = floor;
      wall.name = "side";
      wall.shapes = {HalfSpace<3>{-side * direction<3>(axis), -0.5}};
      s.bodies.push_back(wall);
    }
  for (const double x : {-0.4, 0.4})
    for (const double z : {0.1, 0.9}) {
      s.bodies.push_back(ball);
      s.bodies.back().position = {x, x, z};
    }
  const DrawnShapes drawn = draw_shapes<3>(make_bodies<3>(s));
  REQUIRE(drawn.surfaces.size() == 5);
  double highest = 0;
  for (const Surface& plate : drawn.surfaces)
    for (std::size_t v = 0; v < plate.vertices.size() / 2; ++v) {  // the sides that face the balls
      const Vec<3>& x = plate.vertices[v];
      CHECK((std::abs(x[0]) <= 0.5 + 1e-12 && std::abs(x[1]) <= 0.5 + 1e-12 && x[2] >= -1e-12));
      highest = std::max(highest, x[2]);
    }
  CHECK(highest > 1);
  CHECK(highest < 2);
  CHECK(drawn.is_wall[0] == 1);
  CHECK(drawn.is_wall[5] == 0);
}

TEST_CASE_TEMPLATE("drawn shapes have their vertices on the surface and face outwards", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  const Bodies<D> bodies = bodies_at<D>(scene<D>(), 0);
  const DrawnShapes drawn = draw_shapes<D>(bodies);
  CHECK(drawn.surface_of[ball_body] == (D == 3 ? -1 : 1));  // a disk is drawn, a sphere a glyph
  for (const Surface& surface : drawn.surfaces) {
    REQUIRE(surface.polygons() > 0);
    for (std::size_t k = 0; k < surface.polygons(); ++k) {
      Vec<3> area = Vec<3>::Zero(), middle = area, inside = area;
      const int first = surface.start[k], last = surface.start[k + 1];
      for (int c = first; c < last; ++c) {
        const auto corner = [&](int i) {
          return surface
              .vertices[static_cast<std::size_t>(surface.corner[static_cast<std::size_t>(i)])];
        };
        area += corner(c).cross(corner(c + 1 < last ? c + 1 : first));
        middle += corner(c) / (last - first);
      }
      if constexpr (D == 2) {
        CHECK(area[2] > 0);
      } else {
        // the part this polygon belongs to is convex, so its mean vertex is inside
        const int vertex = surface.corner[static_cast<std::size_t>(first)];
        std::size_t part = 0;
        while (surface.part_start[part + 1] <= vertex) ++part;
        const int begin = surface.part_start[part], end = surface.part_start[part + 1];
        for (int v = begin; v < end; ++v)
          inside += surface.vertices[static_cast<std::size_t>(v)] / (end - begin);
        CHECK(area.dot(middle - inside) > 0);
      }
    }
  }
  const auto& capsule = drawn.surfaces[static_cast<std::size_t>(drawn.surface_of[capsule_body])];
  for (const Vec<3>& x : capsule.vertices) {
    const double beyond = std::max(0.0, std::abs(x[0]) - 0.1);
    CHECK(std::hypot(beyond, x[1], x[2]) == doctest::Approx(0.05).epsilon(1e-12));
  }
  // The floor's plate lies under all other bodies, its upper side in the plane.
  const auto& plate = drawn.surfaces[static_cast<std::size_t>(drawn.surface_of[floor_body])];
  double low[D - 1], high[D - 1];
  std::fill(low, low + D - 1, 1e9);
  std::fill(high, high + D - 1, -1e9);
  for (const Vec<3>& x : plate.vertices) {
    CHECK(x[D - 1] <= 1e-12);
    for (int k = 0; k < D - 1; ++k) {
      low[k] = std::min(low[k], x[k]);
      high[k] = std::max(high[k], x[k]);
    }
  }
  for (const Vec<D>& position : bodies.position)
    for (int k = 0; k < D - 1; ++k) CHECK((low[k] < position[k] && position[k] < high[k]));
}

TEST_CASE("force chains end at centres, or at the contact with a wall") {
  const Folder folder;
  write_run<3>(folder / "run.h5", 10);
  const Scene<3> s = scene<3>();
  const auto contacts = contacts_at<3>(s, 1);
  const Bodies<3> bodies = bodies_at<3>(s, 10);
  const std::vector<float> points = read_floats(folder / "run.h5", "/contacts/chain_points");
  REQUIRE(contacts.size() > 1);
  REQUIRE(points.size() == 6 * (contacts.size() - 1));
  for (long k = 0; k < 3; ++k) {  // the first contact is between the floor and the ball
    CHECK(points[static_cast<std::size_t>(k)] == static_cast<float>(contacts[0].contact.point[k]));
    CHECK(points[static_cast<std::size_t>(3 + k)] ==
          static_cast<float>(bodies.position[ball_body][k]));
  }
}

TEST_CASE("an existing file is replaced only when asked to, and only by a whole one") {
  const Folder folder;
  const std::string run = (folder / "run.h5").string();
  write_run<3>(run, 20);
  const std::string before = content(run);
  CHECK(input_error_of([&] { write_run<3>(run, 10); }) ==
        run + ": exists already (use --force to overwrite it, or -o for another name)");
  CHECK(content(run) == before);
  {
    const FileSizeLimit limit(100000);
    CHECK_THROWS_WITH(write_run<3>(run, 10, true),
                      (run + ": cannot write the file: File too large").c_str());
  }
  CHECK(content(run) == before);
  CHECK_FALSE(std::filesystem::exists(run + ".part"));
  write_run<3>(run, 10, true);
  CHECK(TrajectoryReader(run).frames().size() == 2);
}

TEST_CASE("a path that cannot be written is an error of one line") {
  const Folder folder;
  const auto error = [&](const std::filesystem::path& path) {
    return input_error_of([&] { write_run<3>(path, 10, true); });
  };
  const std::string missing = (folder / "no/run.h5").string();
  CHECK(error(missing) == missing + ": folder " + (folder / "no").string() + " does not exist");
  std::ofstream(folder / "file") << "text";
  const std::string through = (folder / "file/run.h5").string();
  CHECK(error(through) == through + ": " + (folder / "file").string() + " is not a folder");
  CHECK(error(folder.path()) == folder.path().string() + ": is not a regular file");
  CHECK(error("/dev/full") == "/dev/full: is not a regular file");
  CHECK(error("/proc/run.h5") == "/proc/run.h5: cannot write: No such file or directory");
}

TEST_CASE_TEMPLATE("a disk that fills up costs no frame that was written", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const Folder folder;
  const Scene<D> s = scene<D>();
  const std::string run = (folder / "run.h5").string();
  auto writer = std::make_unique<TrajectoryWriter<D>>(
      TrajectoryWriter<D>::create(run, s, bodies_at<D>(s, 0), info(), false));
  write_steps<D>(*writer, s, 0, 55);
  {
    const FileSizeLimit limit(std::filesystem::file_size(run) + 20000);
    CHECK_THROWS_WITH(write_steps<D>(*writer, s, 56, 95),
                      (run + ": cannot write the frame at t = 0.06 s: File too large").c_str());
    writer.reset();
  }
  const TrajectoryReader reader(run);
  CHECK_FALSE(reader.header().complete);
  REQUIRE(reader.frames().size() == 6);
  for (std::size_t k = 0; k < 6; ++k) check_frame<D>(reader, k, s);
}

TEST_CASE("space that was set aside and not needed is given back") {
  const Folder folder;
  write_run<3>(folder / "run.h5", 50);
  struct stat status {};
  REQUIRE(stat((folder / "run.h5").c_str(), &status) == 0);
  CHECK(512 * status.st_blocks <= status.st_size + 65536);
}

TEST_CASE("files that are no trajectories, or damaged ones, are refused by name") {
  const Folder folder;
  const std::string run = (folder / "run.h5").string();
  const auto error = [&] {
    return input_error_of([&] {
      const TrajectoryReader reader(run);
      reader.series();
      reader.view_sizes();
      for (std::size_t k = 0; k < reader.frames().size(); ++k) {
        reader.state(k);
        reader.contacts(k);
      }
    });
  };
  CHECK(error() == run + ": no such file");
  CHECK(input_error_of([&] { TrajectoryReader reader(folder.path()); }) ==
        folder.path().string() + ": is a folder, not a file");
  std::ofstream(run) << "not HDF5";
  CHECK(error() == run + ": not an HDF5 file");

  const auto fresh = [&] { write_run<3>(run, 20, true); };
  fresh();
  truncate_to(run, std::filesystem::file_size(run) - 100);
  CHECK(contains(error(), "truncated file"));
  fresh();
  truncate_to(run, 700);
  CHECK(contains(error(), run + ": "));
  for (const char* dataset :
       {"/frames/time", "/frames/contact_row", "/state/velocity", "/bodies/mass", "/contacts/gap",
        "/series/defect", "/materials/friction", "/meta/scene", "/mesh/polygon_offset"}) {
    fresh();
    delete_link(run, dataset);
    CHECK(error() == run + ": dataset " + dataset + " is missing");
  }
  fresh();
  resize_dataset(run, "/state/position", 10);
  CHECK(error() == run + ": dataset /state/position has 10 rows, expected 6 from row 6");
  fresh();
  resize_dataset(run, "/frames/time", hsize_t{1} << 50);
  CHECK(error() ==
        run + ": dataset /frames/time claims 1125899906842624 rows but stores 2048 bytes");
  fresh();
  resize_dataset(run, "/frames/time", 7);
  CHECK(contains(error(), "has 3 rows, expected 7 from row 0"));
}
