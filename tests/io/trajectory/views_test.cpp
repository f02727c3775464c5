// SPDX-License-Identifier: Apache-2.0
// What ParaView opens follows the file, frame by frame.
#include "io/trajectory/views.hpp"

#include <doctest/doctest.h>

#include "io/hdf5/hdf5_data.hpp"
#include "tests/io/sample_run.hpp"

using namespace talus;
using namespace talus::sample;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

std::vector<std::string> companions(const Folder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    if (entry.path().extension() == ".vtkhdf" || entry.path().extension() == ".xmf2")
      names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE_TEMPLATE("the text has a block per view and is well formed after every frame", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  const Folder folder;
  const Scene<D> s = scene<D>();
  auto writer =
      TrajectoryWriter<D>::create(folder / "run.h5", s, bodies_at<D>(s, 0), info(), false);
  CHECK(companions(folder) == std::vector<std::string>{"run.vtkhdf", "run.xmf2"});
  const std::size_t views = view_names.size();
  for (std::int64_t k = 0; k < 30; ++k) {  // the lists of frames outgrow their room several times
    write_steps<D>(writer, s, 10 * k, 10 * k);
    const std::string text = content(folder / "run.xmf2");
    const auto frames = static_cast<std::size_t>(k) + 1;
    CHECK(count(text, "<Grid ") == count(text, "</Grid>"));
    CHECK(text.ends_with("\n</Grid>\n</Domain></Xdmf>\n"));
    CHECK(count(text, "<Time Value=") == views * frames);
    CHECK(count(text, "GridType=\"Uniform\"") == views * frames);
    CHECK(count(text, "CollectionType=\"Temporal\"") == views);
    for (const std::string_view view : view_names) {
      const std::string block = "<Grid Name=\"" + std::string(view) + "\" ";
      CHECK(count(text, block) == frames + 1);
    }
  }
  CHECK(companions(folder).size() == 2);
}

TEST_CASE("an entry names the rows of its frame") {
  const ViewSizes sizes = {10, 80, 60, 240};
  ViewFrame frame = {0.25, 30, 10, 240, 180, 7, 4};
  count_all(sizes, frame);
  const std::string contacts = xdmf_entry("contacts", "run.h5", sizes, frame);
  CHECK(count(contacts, "<Time Value=\"0.25\"/>") == 1);
  CHECK(count(contacts, "NumberOfElements=\"4\"") == 1);
  CHECK(count(contacts,
              "7 0 1 1 4 3</DataItem><DataItem Dimensions=\"11 3\" NumberType=\"Float\" "
              "Precision=\"8\" Format=\"HDF\">run.h5:/contacts/point") == 1);
  const std::string chains = xdmf_entry("chains", "run.h5", sizes, frame);
  CHECK(count(chains,
              "14 0 1 1 8 3</DataItem><DataItem Dimensions=\"22 3\" NumberType=\"Float\" "
              "Precision=\"4\" Format=\"HDF\">run.h5:/contacts/chain_points") == 1);
  frame.contact_count = 0;  // arrays keep their names
  CHECK(count(xdmf_entry("chains", "run.h5", sizes, frame), "<Attribute Name=") ==
        contact_arrays.size());
  const std::string mesh = xdmf_entry("mesh", "a<b>&.h5", sizes, frame);
  CHECK(count(mesh, "240 0 1 1 80 3") == 1);
  CHECK(count(mesh, "180 0 1 1 60 3") == 1);
  CHECK(count(mesh, ">0 1 360<") == 1);  // the same polygons in every frame
  CHECK(count(mesh, "a&lt;b&gt;&amp;.h5:/mesh/points") == 1);
}

TEST_CASE("blocks are links to the groups that show the frames") {
  const Folder folder;
  write_run<3>(folder / "run.h5", 40);
  const std::filesystem::path path = folder / "run.vtkhdf";
  const hdf5::Handle stub(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "open", H5Fclose);
  const hdf5::Handle root(H5Gopen2(stub, "/VTKHDF", H5P_DEFAULT), "open the root");
  CHECK(hdf5::read_text_attribute(root, "Type") == "MultiBlockDataSet");
  CHECK_FALSE(hdf5::exists(root, "Steps"));  // ParaView takes the times from the blocks
  const hdf5::Handle assembly(H5Gopen2(root, "Assembly", H5P_DEFAULT), "open the assembly");
  for (std::size_t i = 0; i < view_names.size(); ++i) {
    const std::string view(view_names[i]);
    char target[64] = "";
    CHECK(H5Lget_val(assembly, view.c_str(), target, sizeof target, H5P_DEFAULT) >= 0);
    CHECK(std::string(target) == "/VTKHDF/" + view);
    char name[64] = "";
    H5Lget_name_by_idx(assembly, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name, sizeof name,
                       H5P_DEFAULT);
    CHECK(name == view);
    const hdf5::Handle group(H5Gopen2(assembly, view.c_str(), H5P_DEFAULT), "follow the links");
    CHECK(hdf5::read_text_attribute(group, "Type") == "PolyData");
    CHECK(hdf5::read_attribute<std::int64_t>(group, "Version") == std::vector<std::int64_t>{2, 0});
    const hdf5::Handle steps(H5Gopen2(group, "Steps", H5P_DEFAULT), "Steps");
    CHECK(hdf5::read_attribute<std::int64_t>(steps, "NSteps").front() == 5);
    // every array has its offsets
    for (const char* where : {"PointData", "CellData"}) {
      if (!hdf5::exists(group, where)) continue;
      const hdf5::Handle data(H5Gopen2(group, where, H5P_DEFAULT), where);
      const std::string offsets = std::string(where) + "Offsets";
      const hdf5::Handle rows(H5Gopen2(steps, offsets.c_str(), H5P_DEFAULT), offsets);
      H5G_info_t arrays, offset_arrays;
      H5Gget_info(data, &arrays);
      H5Gget_info(rows, &offset_arrays);
      CHECK(arrays.nlinks > 0);
      CHECK(arrays.nlinks == offset_arrays.nlinks);
    }
  }
}

TEST_CASE("cells of contacts: one more offset than cells in every frame, also without contacts") {
  const Folder folder;
  write_run<3>(folder / "run.h5", 80);
  const hdf5::Handle file = hdf5::open_file(folder / "run.h5", hdf5::Access::read);
  const auto counts = hdf5::read_all<std::int64_t>(file, "/frames/contact_count");
  const auto points = hdf5::read_all<std::int64_t>(file, "/views/contacts/Vertices/Offsets");
  const auto lines = hdf5::read_all<std::int64_t>(file, "/views/chains/Lines/Offsets");
  const auto numbers = hdf5::read_all<std::int64_t>(file, "/views/chains/Lines/Connectivity");
  std::size_t at = 0, most = 0;
  for (std::int64_t c : counts)
    for (std::int64_t i = 0; i <= c; ++i, ++at) {
      REQUIRE(at < points.size());
      CHECK(points[at] == i);
      CHECK(lines[at] == 2 * i);
      most = std::max(most, static_cast<std::size_t>(2 * c));
    }
  CHECK(at == points.size());
  CHECK(at == lines.size());
  REQUIRE(numbers.size() == most);
  for (std::size_t i = 0; i < most; ++i) CHECK(numbers[i] == static_cast<std::int64_t>(i));
}

TEST_CASE_TEMPLATE("views that were lost can be made again", Dim, Plane, Solid) {
  constexpr int D = Dim::value;
  const Folder folder;
  write_run<D>(folder / "run.h5", 60);
  const std::vector<std::string> names = companions(folder);
  std::vector<std::string> before;
  for (const std::string& name : names) {
    before.push_back(content(folder / name));
    if (name.ends_with("xmf2")) std::filesystem::remove(folder / name);
  }
  const RebuiltViews rebuilt = rebuild_views(folder / "run.h5");
  CHECK(rebuilt.frames == 7);
  CHECK(rebuilt.files.size() == 2);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].ends_with("xmf2")) CHECK(content(folder / names[i]) == before[i]);
}

TEST_CASE("a run without surfaces has no mesh and no walls") {
  const Folder folder;
  write_run<3>(folder / "run.h5", 10);
  Scene<3> balls = scene<3>();
  const BodyDescription<3> ball = balls.bodies[ball_body];
  balls.bodies = {ball, ball};
  auto writer =
      TrajectoryWriter<3>::create(folder / "run.h5", balls, make_bodies<3>(balls), info(), true);
  writer.append_frame(0, 0, make_bodies<3>(balls), {});
  writer.close();
  const std::string text = content(folder / "run.xmf2");
  for (const std::string_view view : view_names)
    CHECK((count(text, "<Grid Name=\"" + std::string(view) + "\" ") > 0) ==
          (view != "mesh" && view != "walls"));
}
