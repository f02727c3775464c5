// SPDX-License-Identifier: Apache-2.0
#include "io/trajectory/checksums.hpp"

#include "io/hdf5/content_digest.hpp"
#include "io/trajectory/stored_state.hpp"

namespace talus {

namespace {

using hdf5::Handle;

bool changes_with_run(const std::string& name) {
  return name == "/@complete" || name == "/meta@end" || name == "/meta@checkpoint_step" ||
         name.ends_with("/Steps@NSteps");
}

std::vector<std::string> parts_of(hid_t file) {
  std::vector<std::string> parts = {"/"};
  for (const std::string& name : hdf5::members(file, "/")) parts.push_back("/" + name);
  return parts;
}

std::vector<std::uint64_t> column(const std::vector<RowsChecksum>& tables,
                                  std::uint64_t RowsChecksum::*member) {
  std::vector<std::uint64_t> values;
  for (const RowsChecksum& table : tables) values.push_back(table.*member);
  return values;
}

void write_changing(hid_t group, hid_t file, const std::vector<RowsChecksum>& tables) {
  const std::uint64_t end_state = digest_of_end_state(file);
  hdf5::write_attribute(group, "end_state", end_state);
  hdf5::write_attribute(group, "rows", column(tables, &RowsChecksum::rows));
  hdf5::write_attribute(group, "digest", column(tables, &RowsChecksum::digest));
  hdf5::write_attribute(group, "rest", digest_of_rest(file, tables, end_state));
}

}  // namespace

std::vector<std::uint64_t> digests_of_parts(hid_t file, const std::vector<std::string>& parts) {
  std::vector<std::uint64_t> digests;
  hdf5::ContentWalk walk(changes_with_run);
  for (const std::string& part : parts) {
    const Handle group(H5Gopen2(file, part.c_str(), H5P_DEFAULT), "open " + part);
    Digest digest;
    if (part == "/")
      walk.add_attributes(digest, group, part);
    else
      walk.add_group(digest, group, part);
    digests.push_back(digest.value());
  }
  return digests;
}

std::uint64_t digest_of_end_state(hid_t file) {
  if (!hdf5::exists(file, end_state_path)) return 0;
  Digest digest;
  const Handle state(H5Gopen2(file, end_state_path, H5P_DEFAULT), "open the state at the end");
  hdf5::ContentWalk([](const std::string&) {
    return false;
  }).add_group(digest, state, end_state_path);
  return digest.value();
}

std::uint64_t digest_of_rest(hid_t file, const std::vector<RowsChecksum>& tables,
                             std::uint64_t end_state) {
  Digest digest;
  for (const RowsChecksum& table : tables) {
    digest.add_counted(table.path);
    digest.add_number(table.rows);
    digest.add_number(table.digest);
  }
  digest.add_number(end_state);
  digest.add_counted(hdf5::read_attribute<std::int8_t>(file, "complete"));
  const Handle meta(H5Gopen2(file, "/meta", H5P_DEFAULT), "open /meta");
  digest.add_counted(hdf5::read_attribute<double>(meta, "end"));
  digest.add_counted(hdf5::read_attribute<std::int64_t>(meta, "checkpoint_step"));
  return digest.value();
}

Checksums Checksums::create(hid_t file, const std::vector<RowsChecksum>& tables) {
  const std::vector<std::string> parts = parts_of(file);
  const std::vector<std::uint64_t> digests = digests_of_parts(file, parts);
  Checksums checksums;
  checksums.group_ = hdf5::create_group(file, checksums_path);
  const hid_t group = checksums.group_;
  std::vector<std::string> paths;
  for (const RowsChecksum& table : tables) paths.push_back(table.path);
  hdf5::write_texts(group, "tables", paths);
  hdf5::write_texts(group, "parts", parts);
  hdf5::write_text_attribute(group, "method", checksum_method);
  hdf5::write_attribute(group, "fixed", digests);
  write_changing(group, file, tables);
  return checksums;
}

Checksums Checksums::open(hid_t file) {
  if (!hdf5::exists(file, checksums_path))
    throw hdf5::Failure("it has no checksums: an earlier version made it");
  Checksums checksums;
  checksums.group_ = {H5Gopen2(file, checksums_path, H5P_DEFAULT), "open the checksums"};
  return checksums;
}

void Checksums::update(hid_t file, const std::vector<RowsChecksum>& tables) {
  write_changing(group_, file, tables);
}

}  // namespace talus
