// SPDX-License-Identifier: Apache-2.0
// Numbers as text for the page: byte planes, compressed by zlib, in base64.
//
// Neighbouring values of a column differ little, so their high bytes are alike. All first bytes
// are stored first, then all second bytes, and so on ("shuffle"): each plane compresses well.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace talus {

std::string base64(std::string_view bytes);

// JSON objects {"n": values, "planes": bytes a value, "data": base64}.
// Integers are stored as 2i and −2i − 1 (zigzag), in as few planes as the largest needs.
std::string packed(std::span<const std::int32_t> values);
std::string packed(std::span<const double> values);  // eight planes
std::string packed(std::span<const float> values);   // four planes

}  // namespace talus
