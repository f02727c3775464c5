// SPDX-License-Identifier: Apache-2.0
#include "tools/draw/deflate.hpp"

#include <zlib.h>

#include <stdexcept>

namespace talus {

std::string deflated(std::string_view bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string compressed(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(compressed.data()), &size,
                reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uLong>(bytes.size()),
                Z_DEFAULT_COMPRESSION) != Z_OK)
    throw std::runtime_error("zlib could not compress");
  compressed.resize(size);
  return compressed;
}

}  // namespace talus
