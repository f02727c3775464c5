// SPDX-License-Identifier: Apache-2.0
// A checkpoint gives back the exact state, or says why it does not.
#include "io/trajectory/checkpoint.hpp"

#include <doctest/doctest.h>

#include <bit>

#include "io/hdf5/hdf5_data.hpp"
#include "io/text/input_error.hpp"
#include "tests/io/sample_run.hpp"
#include "tests/io/trajectory/flipped_bits.hpp"

using namespace talus;
using namespace talus::sample;

namespace {

constexpr std::uint64_t scene_id = 0xfedcba9876543210u;

template <int D>
WorldState<D> state_at(std::int64_t step) {
  const Scene<D> s = scene<D>();
  const Bodies<D> bodies = bodies_at<D>(s, step);
  WorldState<D> state{step,
                      bodies.position,
                      bodies.orientation,
                      bodies.velocity,
                      bodies.spin,
                      {},
                      {},
                      {bodies.id, {}, {}, {}},
                      {}};
  for (const ActiveContact<D>& active : contacts_at<D>(s, step))
    state.percussions.push_back({active.contact.key, active.frame * active.percussion});
  state.position[1][0] = 5e-324;  // the smallest of numbers, and a zero with a sign
  state.velocity[2][0] = -0.0;
  state.percussions[0].key.feature = ~std::uint64_t{0};
  return state;
}

template <class V>
std::vector<std::uint64_t> bits(const std::vector<V>& values) {
  std::vector<std::uint64_t> result;
  for (const V& value : values) {
    const auto* numbers = reinterpret_cast<const double*>(&value);
    for (std::size_t k = 0; k < sizeof(V) / sizeof(double); ++k)
      result.push_back(std::bit_cast<std::uint64_t>(numbers[k]));
  }
  return result;
}

template <int D>
bool same(const WorldState<D>& a, const WorldState<D>& b) {
  if (a.percussions.size() != b.percussions.size()) return false;
  std::vector<Vec<D>> p, q;
  for (std::size_t i = 0; i < a.percussions.size(); ++i) {
    if (a.percussions[i].key != b.percussions[i].key) return false;
    p.push_back(a.percussions[i].percussion);
    q.push_back(b.percussions[i].percussion);
  }
  return a.steps == b.steps && bits(a.position) == bits(b.position) &&
         bits(a.orientation) == bits(b.orientation) && bits(a.velocity) == bits(b.velocity) &&
         bits(a.spin) == bits(b.spin) && bits(p) == bits(q) && bits(a.moments) == bits(b.moments) &&
         bits(a.measures) == bits(b.measures);
}

std::string error_of(const std::filesystem::path& run, std::uint64_t id = scene_id,
                     std::size_t more_bodies = 0) {
  try {
    Scene<3> s = scene<3>();
    s.bodies.insert(s.bodies.end(), more_bodies, s.bodies.front());
    read_checkpoint<3>(run, id, s);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

template <class F>
void edit(const std::filesystem::path& path, F&& f) {
  const hdf5::Handle file = hdf5::open_file(path, hdf5::Access::write);
  f(file);
}

}  // namespace

TEST_CASE_TEMPLATE("the state comes back bit for bit", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const Folder folder;
  const WorldState<D> state = state_at<D>(17);
  CHECK_FALSE(has_checkpoint(folder / "run.h5"));
  write_checkpoint<D>(folder / "run.h5", state, scene_id);
  CHECK(has_checkpoint(folder / "run.h5"));
  CHECK(same<D>(read_checkpoint<D>(folder / "run.h5", scene_id, scene<D>()), state));
}

TEST_CASE("what measures remember is a part of the state, and of no other number of them") {
  const Folder folder;
  WorldState<3> state = state_at<3>(17);
  state.measures = {3, -0.0, 1e-300, 0.1, 1, 2, 3, 4};
  write_checkpoint<3>(folder / "run.h5", state, scene_id);
  Scene<3> measured = scene<3>();
  measured.measures = {{"flow", 1, PlaneMeasure<3>{}}};
  CHECK(same<3>(read_checkpoint<3>(folder / "run.h5", scene_id, measured), state));
  CHECK(error_of(folder / "run.h5") ==
        (folder / "run.ckpt.A.h5").string() + ": measures has 8 rows, expected 0");
}

TEST_CASE_TEMPLATE("moments of contacts are a part of the state where contacts pass any", Dim,
                   Plane, Solid) {
  constexpr int D = Dim::value;
  const Folder folder;
  WorldState<D> state = state_at<D>(17);
  for (std::size_t i = 0; i < state.percussions.size(); ++i)
    state.moments.push_back(Spin<D>::Constant(0.1 + static_cast<double>(i)));
  write_checkpoint<D>(folder / "run.h5", state, scene_id);
  Scene<D> rolling = scene<D>();
  rolling.laws.set(0, 0, {.friction = 0.5, .rolling_friction = 0.01});
  CHECK(same<D>(read_checkpoint<D>(folder / "run.h5", scene_id, rolling), state));
}

TEST_CASE("a state without contacts is a state, too") {
  const Folder folder;
  WorldState<3> state = state_at<3>(17);
  state.percussions.clear();
  write_checkpoint<3>(folder / "run.h5", state, scene_id);
  CHECK(same<3>(read_checkpoint<3>(folder / "run.h5", scene_id, scene<3>()), state));
}

TEST_CASE("two checkpoints take turns, and the latest is read") {
  const Folder folder;
  for (std::int64_t step = 1; step <= 5; ++step) {
    write_checkpoint<3>(folder / "run.h5", state_at<3>(step), scene_id);
    CHECK(read_checkpoint<3>(folder / "run.h5", scene_id, scene<3>()).steps == step);
  }
  std::filesystem::remove(folder / "run.ckpt.A.h5");  // steps 1, 3, 5
  CHECK(read_checkpoint<3>(folder / "run.h5", scene_id, scene<3>()).steps == 4);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    CHECK(entry.path().extension() == ".h5");  // nothing unfinished stays behind
}

TEST_CASE("when the latest checkpoint is damaged the one before it serves") {
  const Folder folder;
  write_checkpoint<3>(folder / "run.h5", state_at<3>(1), scene_id);
  write_checkpoint<3>(folder / "run.h5", state_at<3>(2), scene_id);
  const auto latest = folder / "run.ckpt.B.h5";
  std::filesystem::resize_file(latest, std::filesystem::file_size(latest) / 2);
  CHECK(read_checkpoint<3>(folder / "run.h5", scene_id, scene<3>()).steps == 1);
  write_checkpoint<3>(folder / "run.h5", state_at<3>(3), scene_id);  // replaces the damaged one
  CHECK(read_checkpoint<3>(folder / "run.h5", scene_id, scene<3>()).steps == 3);
  std::filesystem::remove(latest);
  CHECK(read_checkpoint<3>(folder / "run.h5", scene_id, scene<3>()).steps == 1);
}

TEST_CASE("a checkpoint that does not fit is refused by name") {
  const Folder folder;
  const auto run = folder / "run.h5";
  const std::string file = (folder / "run.ckpt.A.h5").string();
  CHECK(error_of(run) == run.string() + ": there is no checkpoint to go on from");

  const auto fresh = [&] {
    remove_checkpoints(run);
    write_checkpoint<3>(run, state_at<3>(17), scene_id);
  };
  fresh();
  CHECK(error_of(run, scene_id + 1) == file + ": is of another scene (or of other --set values)");
  CHECK(error_of(run, scene_id, 1) == file + ": position has 6 rows for 7 bodies");
  CHECK_THROWS_AS(read_checkpoint<2>(run, scene_id, scene<2>()), InputError);

  std::filesystem::resize_file(file, 900);
  CHECK(error_of(run).find(file + ": open the file: truncated file") == 0);
  std::ofstream(file) << "something else";
  CHECK(error_of(run) == file + ": not an HDF5 file");

  fresh();
  edit(file, [](hid_t id) { hdf5::write_text_attribute(id, "version", "0.0.9"); });
  CHECK(error_of(run).find(file + ": made by version 0.0.9, this is ") == 0);
  fresh();
  edit(file, [](hid_t id) { H5Adelete(id, "layout"); });
  CHECK(error_of(run) ==
        file + ": made by another build of this version, whose checkpoints hold other things");
  fresh();
  edit(file, [](hid_t id) { hdf5::write_text_attribute(id, "format", "other"); });
  CHECK(error_of(run) == file + ": not a checkpoint");
  fresh();
  edit(file, [](hid_t id) { hdf5::write_attribute(id, "step", std::int64_t{16}); });
  CHECK(error_of(run) == file + ": is damaged: its contents do not match its digest");
  fresh();
  edit(file, [](hid_t id) { H5Ldelete(id, "spin", H5P_DEFAULT); });
  CHECK(error_of(run) == file + ": dataset spin is missing");
  fresh();
  edit(file, [](hid_t id) {
    H5Ldelete(id, "contact", H5P_DEFAULT);
    hdf5::write_table<std::int32_t>(id, "contact", std::vector<std::int32_t>{1, 2, 3, 4}, 4);
  });
  CHECK(error_of(run).find(file + ": dataset contact has 1 rows, expected ") == 0);
}

TEST_CASE("one flipped bit in the stored bytes of any table is noticed") {
  const Folder folder;
  const auto run = folder / "run.h5";
  write_checkpoint<3>(run, state_at<3>(17), scene_id);
  const auto file = checkpoint_paths(run).front();
  CHECK(stored_datasets(file).size() >= 6);
  with_each_flipped(file, [&] { CHECK(error_of(run).find(file.string() + ": ") == 0); });
  CHECK(error_of(run) == "no error");
}

TEST_CASE("any single changed byte of the state is noticed") {
  const Folder folder;
  const auto run = folder / "run.h5";
  write_checkpoint<3>(run, state_at<3>(17), scene_id);
  const std::string file = (folder / "run.ckpt.A.h5").string();
  const WorldState<3> state = state_at<3>(17);
  const std::string whole = content(file);
  const auto* number = reinterpret_cast<const char*>(state.position[2].data());
  const std::size_t at = whole.find(std::string(number, sizeof(double)));
  REQUIRE(at != std::string::npos);
  for (std::size_t k = 0; k < 8; ++k) {
    std::string damaged = whole;
    damaged[at + k] = static_cast<char>(damaged[at + k] ^ 0x10);
    std::ofstream(file, std::ios::binary) << damaged;
    CHECK(error_of(run) == file + ": is damaged: its contents do not match its digest");
  }
}

TEST_CASE("a new run under an old name has no checkpoints") {
  const Folder folder;
  write_run<3>(folder / "run.h5", 10);
  write_checkpoint<3>(folder / "run.h5", state_at<3>(10), scene_id);
  write_run<3>(folder / "run.h5", 10, true);
  CHECK_FALSE(has_checkpoint(folder / "run.h5"));
}
