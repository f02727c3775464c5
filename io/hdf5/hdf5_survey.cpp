// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5/hdf5_survey.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace talus::hdf5 {

namespace {

constexpr int most_objects = 2000;  // a damaged group may contain itself

// At most so many chunks of a dataset are tested: HDF5 searches for each from the start.
constexpr hsize_t most_chunks = 256;

struct Survey {
  hsize_t file_bytes = 0;
  int objects = 0;
  std::string contradiction;
};

std::string name_of(hid_t object) {
  char name[256] = "";
  H5Iget_name(object, name, sizeof name);
  return name;
}

// An uncompressed chunk must have the length given by the layout. HDF5 1.10 trusts the index
// instead and copies beyond the end of its buffer.
void survey_dataset(hid_t dataset, Survey& survey) {
  const std::string name = name_of(dataset);
  const Handle space(H5Dget_space(dataset), name), type(H5Dget_type(dataset), name),
      creation(H5Dget_create_plist(dataset), name);
  const hsize_t stored = H5Dget_storage_size(dataset);
  if (H5Pget_layout(creation) != H5D_CHUNKED || H5Pget_nfilters(creation) != 0) return;
  hsize_t sides[H5S_MAX_RANK], bytes = H5Tget_size(type), chunks = 0;
  const int rank = check(H5Pget_chunk(creation, H5S_MAX_RANK, sides), name);
  for (int i = 0; i < rank; ++i) bytes *= sides[i];
  check(H5Dget_num_chunks(dataset, space, &chunks), name);
  if (stored != chunks * bytes)
    survey.contradiction =
        fmt::format("dataset {} stores {} bytes in {} chunks of {}", name, stored, chunks, bytes);
  // While a run writes the file, the end of it may not be on disk yet.
  const hsize_t beyond = 2 * survey.file_bytes + (hsize_t{64} << 20);
  for (hsize_t k = 0; k < std::min(chunks, most_chunks); ++k) {
    hsize_t corner[H5S_MAX_RANK], size = 0;
    unsigned filters = 0;
    haddr_t address = 0;
    check(H5Dget_chunk_info(dataset, space, k, corner, &filters, &address, &size), name);
    if (address > beyond)
      survey.contradiction = fmt::format("dataset {} has a chunk at byte {} of a file of {} bytes",
                                         name, address, survey.file_bytes);
  }
}

void survey_group(hid_t group, Survey& survey) {
  H5G_info_t content{};
  check(H5Gget_info(group, &content), name_of(group));
  for (hsize_t i = 0; i < content.nlinks; ++i) {
    if (++survey.objects > most_objects) {
      survey.contradiction = fmt::format("holds more than {} objects", most_objects);
      return;
    }
    try {
      const Handle object(H5Oopen_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_NATIVE, i, H5P_DEFAULT),
                          "open");
      const H5I_type_t kind = H5Iget_type(object);
      if (kind == H5I_GROUP) survey_group(object, survey);
      if (kind == H5I_DATASET) survey_dataset(object, survey);
    } catch (const Failure&) {  // a run that was killed may leave the end of an index unwritten
    }
  }
}

}  // namespace

void survey(hid_t file) {
  const Handle root(H5Gopen2(file, "/", H5P_DEFAULT), "open /");
  Survey survey;
  check(H5Fget_filesize(file, &survey.file_bytes), "take the size of the file");
  survey_group(root, survey);
  if (!survey.contradiction.empty()) throw Failure(survey.contradiction);
}

}  // namespace talus::hdf5
