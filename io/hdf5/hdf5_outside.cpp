// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5/hdf5_outside.hpp"

namespace talus::hdf5 {

namespace {

constexpr int most_links = 5000;  // an intact file has a few hundred

struct Visit {
  int links = 0;
  std::string finding;
};

// Returns 1 to end the iteration.
herr_t visit_link(hid_t root, const char* name, const H5L_info_t* link, void* data) try {
  Visit& visit = *static_cast<Visit*>(data);
  if (++visit.links > most_links) {
    visit.finding = "holds more than " + std::to_string(most_links) + " objects";
    return 1;
  }
  if (link->type == H5L_TYPE_SOFT) return 0;  // its target within the file is visited anyway
  if (link->type != H5L_TYPE_HARD) {
    visit.finding = std::string("link /") + name + " leads to another file";
    return 1;
  }
  const Handle object(H5Oopen(root, name, H5P_DEFAULT), name);
  if (H5Iget_type(object) != H5I_DATASET) return 0;
  const Handle creation(H5Dget_create_plist(object), name);
  if (H5Pget_external_count(creation) > 0 || H5Pget_layout(creation) == H5D_VIRTUAL) {
    visit.finding = std::string("dataset /") + name + " is stored in another file";
    return 1;
  }
  return 0;
} catch (const Failure&) {  // a run that was killed may leave the end of an index unwritten
  return 0;
}

}  // namespace

void refuse_outside(hid_t file) {
  Visit visit;
  H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, visit_link, &visit);
  if (!visit.finding.empty()) throw Failure(visit.finding);
}

void load_no_plugins() { H5PLset_loading_state(0); }

}  // namespace talus::hdf5
