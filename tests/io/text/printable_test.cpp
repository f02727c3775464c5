// SPDX-License-Identifier: Apache-2.0
// What goes to a terminal or into XML holds no control characters, whoever wrote it.
#include "io/text/printable.hpp"

#include <doctest/doctest.h>

using namespace talus;

TEST_CASE("control characters become question marks, other characters stay") {
  CHECK(printable("grün, 石, μ ≤ 0.5") == "grün, 石, μ ≤ 0.5");
  CHECK(printable("a\x1b[31mb\nc\td\x7f") == "a?[31mb?c d?");
  CHECK(printable("a\xc2\x9b"
                  "31mb") == "a?31mb");               // U+009B, the control sequence introducer
  CHECK(printable("caf\xe9 \xc3\xa9") == "caf? ??");  // not UTF-8
  CHECK(printable("\xc2") == "?");
  CHECK(printable_lines("a\x1b\n b\n") == "a?\n b\n");
}

TEST_CASE("marks of XML are escaped in texts and in attributes") {
  CHECK(xml_text("<a & 'b' \"c\">\x01") == "&lt;a &amp; &apos;b&apos; &quot;c&quot;&gt;?");
}
