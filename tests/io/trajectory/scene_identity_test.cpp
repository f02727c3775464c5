// SPDX-License-Identifier: Apache-2.0
// Two scenes are the same when they mean the same, and what differs is named.
#include "io/trajectory/scene_identity.hpp"

#include <doctest/doctest.h>

#include <string_view>

#include "io/scene/scene_source.hpp"
#include "io/text/digest.hpp"

using namespace talus;

namespace {

const std::string text = R"(
[material.stone]
friction = 0.5   # dry
density = 2500
[[body]]
name = "a"
position = [0, 1]
[[body]]
name = "b"
)";

std::string differs(const std::string& other, const std::vector<std::string>& overrides = {}) {
  return difference(identity_of(text, {}, {}), identity_of(other, overrides, {})).value_or("no");
}

std::string replaced(std::string whole, std::string_view part, std::string_view by) {
  return whole.replace(whole.find(part), part.size(), by);
}

std::uint64_t xxh64(std::string_view bytes) {
  Digest digest;
  digest.add(std::span<const char>(bytes));
  return digest.value();
}

}  // namespace

TEST_CASE("comments, order and the way numbers are written make no difference") {
  CHECK(differs(replaced(text, "# dry", "# wet")) == "no");
  CHECK(differs(replaced(text, "friction = 0.5   # dry\ndensity = 2500",
                         "density = 2500.0\nfriction = 5e-1")) == "no");
  CHECK(differs(text, {"material.stone.friction=0.5"}) == "no");
  CHECK(identity_of(text, {}, {}).hash() ==
        identity_of(replaced(text, "0.5", "0.50"), {}, {}).hash());
}

TEST_CASE("what differs is named") {
  CHECK(differs(replaced(text, "0.5", "0.6")) ==
        "material.stone.friction is 0.5 in the file and 0.6 now");
  CHECK(differs(text, {"material.stone.friction=0.7"}) ==
        "material.stone.friction is 0.5 in the file and 0.7 now");
  CHECK(differs(text, {"body.1.fixed=true"}) ==
        "body.1.fixed is true now and not given in the file");
  CHECK(differs(replaced(text, "name = \"b\"", "")) ==
        "body.1.name is \"b\" in the file and not given now");
  CHECK(differs(replaced(text, "[0, 1]", "[0, 2]")) ==
        "body.0.position is [0, 1] in the file and [0, 2] now");
  CHECK(identity_of(text, {}, {}).hash() !=
        identity_of(replaced(text, "0.5", "0.6"), {}, {}).hash());
}

TEST_CASE("the contents of records belong to a scene") {
  const std::string driven = "force = { file = \"record.txt\" }";
  const auto with = [&](const std::string& record) {
    return identity_of(driven, {}, {{"record.txt", record}});
  };
  CHECK_FALSE(difference(with("0 1"), with("0 1")).has_value());
  CHECK(difference(with("0 1"), with("0 2")) == "record record.txt has other contents");
  CHECK(difference(identity_of(driven, {}, {}), with("0 2")) ==
        "record record.txt is not kept in the file");
  CHECK(with("0 1").hash() != with("0 2").hash());
}

TEST_CASE("the digest is XXH64, however the bytes are cut") {
  CHECK(xxh64("") == 0xEF46DB3751D8E999);
  CHECK(xxh64("a") == 0xD24EC4F1A98C6E5B);
  CHECK(xxh64("abc") == 0x44BC2CF5AD770999);
  std::string bytes;
  for (int i = 0; i < 200; ++i) bytes += static_cast<char>(7 * i);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    Digest digest;
    digest.add(std::span<const char>(bytes.data(), cut));
    digest.add(std::span<const char>(bytes.data() + cut, bytes.size() - cut));
    REQUIRE(digest.value() == xxh64(bytes));
  }
}
