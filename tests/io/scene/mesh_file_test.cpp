// SPDX-License-Identifier: Apache-2.0
// Shapes from files: every format gives the same solid, what can be mended is, and what changed
// since is noticed.
#include "io/scene/mesh_file.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "io/scene/scene_reader.hpp"
#include "io/trajectory/scene_identity.hpp"

using namespace talus;
namespace fs = std::filesystem;

namespace {

using Triangles = std::vector<std::array<Vec<3>, 3>>;

Triangles triangles_of(const Polytope<3>& polytope, const Vec<3>& at = Vec<3>::Zero()) {
  Triangles list;
  const auto corner = [&](int v) -> Vec<3> {
    return polytope.vertices[static_cast<std::size_t>(v)] + at;
  };
  for (const auto& face : polytope.faces)
    for (std::size_t k = 2; k < face.size(); ++k)
      list.push_back({corner(face[0]), corner(face[k - 1]), corner(face[k])});
  return list;
}

std::string stl_text(const Triangles& triangles) {
  std::string text = "solid made for a test\n";
  for (const auto& triangle : triangles) {
    text += "facet normal 0 0 0\nouter loop\n";
    for (const Vec<3>& x : triangle) text += fmt::format("vertex {} {} {}\n", x[0], x[1], x[2]);
    text += "endloop\nendfacet\n";
  }
  return text + "endsolid\n";
}

std::string stl_binary(const Triangles& triangles) {
  std::string text(80, ' ');
  text.replace(0, 5, "solid");  // as some writers begin binary files
  const auto add = [&](const auto& value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    text.append(bytes, sizeof value);
  };
  add(static_cast<std::uint32_t>(triangles.size()));
  for (const auto& triangle : triangles) {
    for (int k = 0; k < 3; ++k) add(0.0f);
    for (const Vec<3>& x : triangle)
      for (int k = 0; k < 3; ++k) add(static_cast<float>(x[k]));
    add(std::uint16_t{0});
  }
  return text;
}

// Faces with as many corners as they have, textures and normals, and indices from the end.
std::string obj_text(const Polytope<3>& polytope) {
  std::string text = "# a box\no box\n";
  for (const Vec<3>& x : polytope.vertices) text += fmt::format("v {} {} {}\n", x[0], x[1], x[2]);
  text += "vn 0 0 1\ns off\n";
  bool from_end = false;
  for (const auto& face : polytope.faces) {
    text += "f";
    for (const int v : face)
      text += from_end ? fmt::format(" {}", v - static_cast<int>(polytope.vertices.size()))
                       : fmt::format(" {}//1", v + 1);
    text += "\n";
    from_end = !from_end;
  }
  return text;
}

// A folder of its own for files and a scene.
struct Folder {
  fs::path path;

  Folder() {
    static int count = 0;
    path = fs::temp_directory_path() /
           fmt::format("talus-meshes-{}-{}", static_cast<long>(::getpid()), count++);
    fs::create_directories(path / "scan");
  }
  Folder(const Folder&) = delete;
  ~Folder() { fs::remove_all(path); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path / name, std::ios::binary) << text;
  }
  fs::path scene(const std::string& entry) const {
    write("scene.toml",
          "dimension = 3\ntime = { step = 1e-3, end = 1.0 }\n"
          "material.stone = { density = 2000, friction = 0.5 }\n" +
              entry + "\nmaterial = \"stone\"\n");
    return path / "scene.toml";
  }
  SceneDocument read(const std::string& entry) const { return read_scene(scene(entry)); }
};

std::string stone(const std::string& shape) { return "[[body]]\nshape = " + shape; }

const BodyDescription<3>& only_body(const SceneDocument& document) {
  const auto& bodies = std::get<Scene<3>>(document.scene).bodies;
  REQUIRE(bodies.size() == 1);
  return bodies.front();
}

}  // namespace

TEST_CASE("a box is the same solid from STL as text, as binary, and from OBJ") {
  const Polytope<3> solid = box<3>({1, 2, 0.5});
  const Folder folder;
  folder.write("a.stl", stl_text(triangles_of(solid, {1, 0, 0})));
  folder.write("b.STL", stl_binary(triangles_of(solid, {1, 0, 0})));
  Polytope<3> shifted = solid;
  for (Vec<3>& x : shifted.vertices) x += Vec<3>(1, 0, 0);
  folder.write("c.obj", obj_text(shifted));
  for (const char* name : {"a.stl", "b.STL", "c.obj"}) {
    CAPTURE(name);
    const SceneDocument document =
        folder.read(stone(fmt::format("{{ mesh = {{ file = \"{}\", scale = 10 }} }}", name)));
    const auto& polytope = std::get<Polytope<3>>(only_body(document).shapes[0]);
    CHECK(polytope.vertices.size() == 8);
    CHECK(polytope.faces.size() == 6);
    const MassProperties<3> mass = mass_properties<3>(Shape<3>(polytope));
    CHECK(mass.volume == doctest::Approx(1000).epsilon(1e-13));
    CHECK((mass.centre - Vec<3>(10, 0, 0)).norm() < 1e-12);
    CHECK(document.records.size() == 1);
  }
}

TEST_CASE("what a mesh suffers from is mended and said") {
  const Folder folder;
  Triangles triangles = triangles_of(box<3>({1, 1, 1}));
  std::swap(triangles[3][0], triangles[3][1]);                               // turned
  triangles.push_back({triangles[0][0], triangles[0][0], triangles[0][1]});  // collapsed
  folder.write("a.stl", stl_text(triangles));
  for (auto& triangle : triangles) std::swap(triangle[0], triangle[1]);  // inside out
  folder.write("b.stl", stl_text(triangles));
  const std::string common =
      ": 1 triangle of two equal corners left out, 1 triangle turned round "
      "to agree with the neighbours";
  for (const auto& [name, more] :
       {std::pair("a.stl", ""),
        std::pair("b.stl", ", the surface faced inwards and was inverted")}) {
    const SceneDocument document = folder.read(stone(fmt::format("{{ mesh = \"{}\" }}", name)));
    REQUIRE(!document.warnings.empty());
    CHECK(document.warnings[0] == (folder.path / name).string() + common + more);
    CHECK(mass_properties<3>(only_body(document).shapes).volume == doctest::Approx(1));
  }
}

TEST_CASE("a hull of few corners lies within the hull of all") {
  std::vector<Vec<3>> points;
  for (int k = 0; k < 400; ++k) {  // spiral on a sphere
    const double z = -1 + (2 * k + 1) / 400.0, angle = 2.4 * k, r = std::sqrt(1 - z * z);
    points.emplace_back(r * std::cos(angle), r * std::sin(angle), z);
  }
  const auto all = hull_of_few(points, 1000), few = hull_of_few(points, 50);
  REQUIRE(all);
  REQUIRE(few);
  CHECK(all->vertices.size() == 400);
  CHECK(few->vertices.size() == 50);
  for (const Vec<3>& x : few->vertices)
    for (std::size_t f = 0; f < all->normals.size(); ++f)
      CHECK(all->normals[f].dot(x) <= all->offsets[f] + 1e-12);
  const double part =
      mass_properties<3>(Shape<3>(*few)).volume / mass_properties<3>(Shape<3>(*all)).volume;
  CHECK(part > 0.8);
  CHECK(part < 1);
}

TEST_CASE("a wall may be open, keeps the way it faces, and a convex one is a polytope") {
  const Folder folder;
  Triangles triangles = triangles_of(box<3>({1, 1, 1}));
  folder.write("box.stl", stl_text(triangles));
  triangles.resize(10);
  folder.write("open.stl", stl_text(triangles));
  const auto shape = [&](const char* name) {
    return only_body(folder.read(stone(fmt::format("{{ mesh = \"{}\" }}\nfixed = true", name))))
        .shapes[0];
  };
  CHECK(std::holds_alternative<Polytope<3>>(shape("box.stl")));
  const Shape<3> open = shape("open.stl");
  REQUIRE(std::holds_alternative<TriangleMesh>(open));
  CHECK(std::get<TriangleMesh>(open).triangles.size() == 10);
}

TEST_CASE(
    "a height field has its rows from north to south and its heights in the middle of cells") {
  const Folder folder;
  folder.write("hills.txt",
               "ncols 3\nnrows 2\nxllcorner 10\nyllcenter 20\ncellsize 2\n"
               "4 5 6\n1 2 3\n");
  const Shape<3> shape =
      only_body(folder.read(stone("{ heightfield = \"hills.txt\" }\nfixed = true"))).shapes[0];
  const auto& mesh = std::get<TriangleMesh>(shape);
  REQUIRE(mesh.vertices.size() == 6);
  CHECK(mesh.triangles.size() == 4);
  CHECK((mesh.vertices[0] - Vec<3>(11, 20, 1)).norm() < 1e-14);  // south-west
  CHECK((mesh.vertices[5] - Vec<3>(15, 22, 6)).norm() < 1e-14);  // north-east
  for (const Vec<3>& n : mesh.normals) CHECK(n[2] > 0);
}

TEST_CASE("stones that enter each other a little are cut apart, in any depth up to the bound") {
  const Folder folder;
  folder.write("scan/a.stl", stl_text(triangles_of(box<3>({1, 1, 1}))));
  folder.write("scan/b.stl", stl_text(triangles_of(box<3>({1, 1, 1}), {0.98, 0.1, 0})));
  const std::string entry = "[[stones]]\nfolder = \"scan\"\n";
  const SceneDocument document = folder.read(entry + "overlap = 0.03");
  const auto& bodies = std::get<Scene<3>>(document.scene).bodies;
  REQUIRE(bodies.size() == 2);
  CHECK(bodies[0].name == "stones.a");
  for (const auto& body : bodies)
    CHECK(mass_properties<3>(body.shapes).volume == doctest::Approx(0.99).epsilon(1e-12));
  REQUIRE(!document.warnings.empty());
  CHECK(document.warnings[0].ends_with(
      "'stones.a' and 'stones.b' overlapped by 0.02 m: cut apart, 0.02 m³ less"));
  try {
    folder.read(entry + "overlap = 0.01");
    FAIL("no error");
  } catch (const InputError& error) {
    CHECK(std::string(error.what())
              .find("'stones.a' and 'stones.b' overlap by 0.02 m, more than "
                    "the 0.01 m that are cut away") != std::string::npos);
  }
}

TEST_CASE("a mesh that has changed makes another scene, and so does one more in a folder") {
  const Folder folder;
  folder.write("a.stl", stl_text(triangles_of(box<3>({1, 1, 1}))));
  const fs::path scene = folder.scene(stone("{ mesh = \"a.stl\" }"));
  const SceneIdentity before = identity_of_scene(scene, {});
  CHECK(!difference(before, identity_of_scene(scene, {})));
  folder.write("a.stl", stl_text(triangles_of(box<3>({1, 1, 1.1}))));
  CHECK(*difference(before, identity_of_scene(scene, {})) == "record a.stl has other contents");

  folder.write("scan/a.stl", stl_text(triangles_of(box<3>({1, 1, 1}))));
  folder.scene("[[stones]]\nfolder = \"scan\"");
  const SceneIdentity one = identity_of_scene(scene, {});
  folder.write("scan/b.stl", stl_text(triangles_of(box<3>({1, 1, 1}), {2, 0, 0})));
  CHECK(*difference(one, identity_of_scene(scene, {})) ==
        "record scan/b.stl is not kept in the file");
}
