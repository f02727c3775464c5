// SPDX-License-Identifier: Apache-2.0
#include "io/trajectory/integrity.hpp"

#include <fmt/format.h>

#include <sstream>

#include "io/hdf5/content_digest.hpp"
#include "io/hdf5/read_lock.hpp"
#include "io/hdf5/trial.hpp"
#include "io/hdf5/write_claim.hpp"
#include "io/text/input_error.hpp"
#include "io/trajectory/checksums.hpp"
#include "io/trajectory/run_names.hpp"

namespace talus {

namespace {

using hdf5::Failure;
using hdf5::Handle;

// Tables that cannot be read count as damaged.
template <class F>
void expect(Integrity& found, const std::string& what, F matches) {
  try {
    if (!matches()) found.damaged.push_back(what + " differs from its checksum");
  } catch (const Failure& failure) {
    found.damaged.push_back(fmt::format("{}: {}", what, failure.what()));
  }
}

bool same_rows(hid_t file, const RowsChecksum& table) {
  if (hdf5::extent(file, table.path).rows != table.rows) return false;
  const Handle dataset(H5Dopen2(file, table.path.c_str(), H5P_DEFAULT), "open " + table.path);
  Digest digest;
  hdf5::add_rows(digest, dataset, table.rows);
  return digest.value() == table.digest;
}

// Whether every view has the number of frames of the file.
bool same_steps(hid_t file) {
  const auto frames = static_cast<std::int64_t>(hdf5::extent(file, "/frames/time").rows);
  for (const std::string& view : hdf5::members(file, "/views")) {
    const std::string path = "/views/" + view + "/Steps";
    const Handle steps(H5Gopen2(file, path.c_str(), H5P_DEFAULT), "open " + path);
    if (hdf5::read_attribute<std::int64_t>(steps, "NSteps").front() != frames) return false;
  }
  return true;
}

struct StoredChecksums {
  std::vector<std::string> parts;
  std::vector<std::uint64_t> fixed;  // of the parts
  std::vector<RowsChecksum> tables;
  std::uint64_t end_state = 0, rest = 0;
};

StoredChecksums read_checksums(hid_t file) {
  StoredChecksums stored;
  const Handle group(H5Gopen2(file, checksums_path, H5P_DEFAULT), "open the checksums");
  if (hdf5::read_text_attribute(group, "method") != checksum_method)
    throw Failure("the checksums are of an unknown method");
  stored.parts = hdf5::read_texts(group, "parts");
  stored.fixed = hdf5::read_attribute<std::uint64_t>(group, "fixed");
  const auto paths = hdf5::read_texts(group, "tables");
  const auto rows = hdf5::read_attribute<std::uint64_t>(group, "rows");
  const auto digest = hdf5::read_attribute<std::uint64_t>(group, "digest");
  if (stored.fixed.size() != stored.parts.size() || rows.size() != paths.size() ||
      digest.size() != paths.size())
    throw Failure("the checksums are not as many as the tables");
  for (std::size_t i = 0; i < paths.size(); ++i)
    stored.tables.push_back({paths[i], rows[i], digest[i]});
  stored.end_state = hdf5::read_attribute<std::uint64_t>(group, "end_state").front();
  stored.rest = hdf5::read_attribute<std::uint64_t>(group, "rest").front();
  return stored;
}

// A damaged file may have lost its checksums: files since format 1.1 have them.
bool should_have_checksums(hid_t file) {
  const auto version = hdf5::read_attribute<std::int64_t>(file, "format_version");
  return version.size() > 1 && version[1] >= 1;
}

Integrity compare(hid_t file, const StoredChecksums& stored) {
  Integrity found;
  expect(found, "the file", [&] {
    const auto fixed = digests_of_parts(file, stored.parts);
    for (std::size_t i = 0; i < fixed.size(); ++i)
      expect(found, stored.parts[i] == "/" ? "an attribute of the file" : stored.parts[i],
             [&] { return fixed[i] == stored.fixed[i]; });
    return true;
  });
  expect(found, "the state at the end",
         [&] { return digest_of_end_state(file) == stored.end_state; });
  expect(found, "the state of the run", [&] {
    return digest_of_rest(file, stored.tables, stored.end_state) == stored.rest && same_steps(file);
  });
  for (const RowsChecksum& table : stored.tables)
    expect(found, table.path, [&] { return same_rows(file, table); });
  found.tables = stored.parts.size() + stored.tables.size();
  return found;
}

// The result as text: the number of tables, then one line per damaged item. Empty without
// checksums.
std::string tell(const std::filesystem::path& run) try {
  const Handle file = hdf5::open_file(run, hdf5::Access::read);
  if (!hdf5::exists(file, checksums_path))
    return should_have_checksums(file) ? "0\nthe checksums are missing\n" : "";
  const Integrity found = compare(file, read_checksums(file));
  return fmt::format("{}\n{}\n", found.tables, fmt::join(found.damaged, "\n"));
} catch (const Failure& failure) {
  return fmt::format("0\n{}\n", failure.what());
}

}  // namespace

Integrity check_integrity(const std::filesystem::path& run) {
  const Hdf5Silence silence;
  finish_flush(real_path(run));
  const ReadLock lock(run);
  Integrity found;
  const auto told = told_by_child(run, [&] { return tell(run); });
  if (!told) found.damaged.emplace_back("HDF5 cannot read it");
  if (told && told->empty()) found.skipped = "an earlier version, without checksums, made the file";
  std::istringstream lines(told.value_or(""));
  std::string line;
  lines >> found.tables >> std::ws;
  while (std::getline(lines, line)) found.damaged.push_back(line);
  return found;
}

void refuse_damaged(const std::filesystem::path& run) {
  const Integrity found = check_integrity(run);
  if (!found.sound())
    throw InputError(fmt::format("{}: is damaged: {} (talus check tells all)", run.string(),
                                 found.damaged.front()));
}

}  // namespace talus
