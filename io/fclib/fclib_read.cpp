// SPDX-License-Identifier: Apache-2.0
// Reads an untrusted FCLib file: every size is compared with the file and with the rest of the
// problem before anything is allocated, indexed or computed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "io/fclib/fclib.hpp"
#include "io/hdf5/hdf5_handle.hpp"
#include "io/hdf5/hdf5_outside.hpp"
#include "io/hdf5/trial.hpp"
#include "io/text/input_error.hpp"
#include "io/text/missing_file.hpp"
#include "io/text/regular_file.hpp"

namespace talus {

namespace {

// Deflate, the compression of HDF5 files, reduces data by a factor of at most about 1032. So a
// dataset that claims more bytes than this for each byte of the file cannot be in it.
constexpr double max_expansion = 1100;
constexpr std::size_t max_string = 1 << 20;

class Reader {
 public:
  explicit Reader(const std::filesystem::path& path) : path_(path.string()) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(path, error);
    if (error) {
      const bool missing = error == std::errc::no_such_file_or_directory;
      throw InputError(fmt::format("{}: cannot be read: {}{}", path_, error.message(),
                                   missing ? meant_instead(path) : ""));
    }
    max_bytes_ = 65536 + max_expansion * static_cast<double>(bytes);
    hdf5::load_no_plugins();
    file_ = Hdf5Handle(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (!file_) throw InputError(fmt::format("{}: not a complete HDF5 file", path_));
    try {
      hdf5::refuse_outside(file_);
    } catch (const hdf5::Failure& failure) {
      throw InputError(fmt::format("{}: {}", path_, failure.what()));
    }
  }

  [[noreturn]] void fail(const std::string& where, const std::string& what) const {
    throw InputError(fmt::format("{}: {}: {}", path_, where, what));
  }

  // Whether the link exists and resolves to an object.
  bool has(const std::string& name) const {
    for (std::size_t end = name.find('/', 1);; end = name.find('/', end + 1)) {
      const std::string part = name.substr(0, end);
      if (H5Lexists(file_, part.c_str(), H5P_DEFAULT) <= 0) return false;
      if (H5Oexists_by_name(file_, part.c_str(), H5P_DEFAULT) <= 0) return false;
      if (end == std::string::npos) return true;
    }
  }

  bool has_group(const std::string& name) const {
    if (!has(name)) return false;
    const Hdf5Handle group(H5Gopen2(file_, name.c_str(), H5P_DEFAULT), H5Gclose);
    if (!group) fail(name, "expected a group");
    return true;
  }

  void require_group(const std::string& name) const {
    if (!has_group(name)) fail(name, "missing");
  }

  std::vector<double> reals(const std::string& name) const {
    const Hdf5Handle data = open(name);
    const H5T_class_t kind = class_of(data);
    if (kind != H5T_FLOAT && kind != H5T_INTEGER) fail(name, "expected real numbers");
    std::vector<double> out(count(data, name));
    if (!out.empty() &&
        H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, out.data()) < 0)
      fail(name, "cannot be read");
    return out;
  }

  std::vector<double> finite_reals(const std::string& name, std::size_t expected) const {
    std::vector<double> out = reals(name);
    if (out.size() != expected)
      fail(name, fmt::format("has {} numbers, expected {}", out.size(), expected));
    check_finite(out, name);
    return out;
  }

  std::vector<int> integers(const std::string& name) const {
    const Hdf5Handle data = open(name);
    if (class_of(data) != H5T_INTEGER) fail(name, "expected integers");
    std::vector<std::int64_t> wide(count(data, name));
    if (!wide.empty() &&
        H5Dread(data, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, wide.data()) < 0)
      fail(name, "cannot be read");
    std::vector<int> out(wide.size());
    for (std::size_t k = 0; k < wide.size(); ++k) {
      if (wide[k] < std::numeric_limits<int>::min() || wide[k] > std::numeric_limits<int>::max())
        fail(name, fmt::format("{} is out of range", wide[k]));
      out[k] = static_cast<int>(wide[k]);
    }
    return out;
  }

  int integer(const std::string& name) const {
    const std::vector<int> all = integers(name);
    if (all.size() != 1) fail(name, fmt::format("has {} numbers, expected one", all.size()));
    return all[0];
  }

  double real(const std::string& name) const {
    const std::vector<double> all = reals(name);
    if (all.size() != 1) fail(name, fmt::format("has {} numbers, expected one", all.size()));
    return all[0];
  }

  // Up to the first zero byte; "" when absent.
  std::string string(const std::string& name) const {
    if (!has(name)) return {};
    const Hdf5Handle data = open(name);
    const Hdf5Handle type(H5Dget_type(data), H5Tclose);
    if (!type || H5Tget_class(type) != H5T_STRING) fail(name, "expected a string");
    if (count(data, name) == 0) return {};
    if (count(data, name) != 1) fail(name, "expected one string");
    if (H5Tis_variable_str(type) > 0) {
      char* text = nullptr;
      const Hdf5Handle space(H5Dget_space(data), H5Sclose);
      if (H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, &text) < 0)
        fail(name, "cannot be read");
      std::string out = text ? text : "";
      H5Dvlen_reclaim(type, space, H5P_DEFAULT, &text);
      return out;
    }
    const std::size_t size = H5Tget_size(type);
    if (size == 0 || size > max_string) fail(name, fmt::format("is a string of {} bytes", size));
    std::vector<char> buffer(size + 1, '\0');
    if (H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer.data()) < 0)
      fail(name, "cannot be read");
    return buffer.data();
  }

  void check_finite(const std::vector<double>& x, const std::string& name) const {
    for (std::size_t k = 0; k < x.size(); ++k)
      if (!std::isfinite(x[k])) fail(name, fmt::format("entry {} is {}", k, x[k]));
  }

 private:
  Hdf5Handle open(const std::string& name) const {
    if (!has(name)) fail(name, "missing");
    Hdf5Handle data(H5Dopen2(file_, name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!data) fail(name, "expected a dataset");
    const Hdf5Handle creation(H5Dget_create_plist(data), H5Pclose);
    if (!creation) fail(name, "cannot be read");
    const H5D_layout_t layout = H5Pget_layout(creation);
    const bool inside = layout == H5D_COMPACT || layout == H5D_CHUNKED ||
                        (layout == H5D_CONTIGUOUS && H5Pget_external_count(creation) == 0);
    if (!inside) fail(name, "does not keep its numbers in this file");
    // HDF5 trusts a header that promises more data than was stored, and reads beyond it. No stored
    // data at all is valid: a dataset that was never written reads as zeros.
    const Hdf5Handle type(H5Dget_type(data), H5Tclose);
    const double promised =
        static_cast<double>(count(data, name)) * static_cast<double>(type ? H5Tget_size(type) : 0);
    const double kept = static_cast<double>(H5Dget_storage_size(data));
    if (layout != H5D_CHUNKED && kept > 0 && kept < promised)
      fail(name, "claims more entries than are stored");
    return data;
  }

  static H5T_class_t class_of(hid_t data) {
    const Hdf5Handle type(H5Dget_type(data), H5Tclose);
    return type ? H5Tget_class(type) : H5T_NO_CLASS;
  }

  std::size_t count(hid_t data, const std::string& name) const {
    const Hdf5Handle space(H5Dget_space(data), H5Sclose);
    const int rank = space ? H5Sget_simple_extent_ndims(space) : -1;
    if (rank < 0 || rank > 1) fail(name, "expected a list of numbers");
    const hssize_t n = H5Sget_simple_extent_npoints(space);
    if (n < 0) fail(name, "cannot be read");
    if (static_cast<double>(n) * 8 > max_bytes_ || n > std::numeric_limits<int>::max())
      fail(name, fmt::format("claims {} entries, more than the file can hold", n));
    return static_cast<std::size_t>(n);
  }

  std::string path_;
  double max_bytes_ = 0;
  Hdf5Handle file_;
};

void check_indices(const Reader& reader, const std::string& name, const std::vector<int>& index,
                   int limit) {
  for (std::size_t k = 0; k < index.size(); ++k)
    if (index[k] < 0 || index[k] >= limit)
      reader.fail(name, fmt::format("entry {} is {}, expected 0 to {}", k, index[k], limit - 1));
}

FclibMatrix read_matrix(const Reader& reader, const std::string& name) {
  reader.require_group(name);
  const auto field = [&](const char* key) { return name + "/" + key; };
  FclibMatrix A;
  A.rows = reader.integer(field("m"));
  A.columns = reader.integer(field("n"));
  if (A.rows < 0 || A.columns < 0) reader.fail(name, fmt::format("is {} by {}", A.rows, A.columns));
  const int nz = reader.integer(field("nz"));
  if (nz < -2) reader.fail(field("nz"), fmt::format("{} names no storage, expected ≥ -2", nz));
  A.storage = nz >= 0    ? FclibMatrix::Storage::triplet
              : nz == -1 ? FclibMatrix::Storage::csc
                         : FclibMatrix::Storage::csr;
  A.p = reader.integers(field("p"));
  A.i = reader.integers(field("i"));
  A.x = reader.reals(field("x"));

  // nzmax is a capacity and may exceed what the arrays hold; only the entries in use count.
  std::size_t used = static_cast<std::size_t>(std::max(nz, 0));
  if (A.storage == FclibMatrix::Storage::triplet) {
    if (A.p.size() < used)
      reader.fail(field("p"), fmt::format("has {} numbers, expected {}", A.p.size(), used));
    A.p.resize(used);
  } else {
    const std::size_t lines =
        static_cast<std::size_t>(A.storage == FclibMatrix::Storage::csc ? A.columns : A.rows);
    if (A.p.size() != lines + 1)
      reader.fail(field("p"), fmt::format("has {} numbers, expected {}", A.p.size(), lines + 1));
    if (A.p[0] != 0) reader.fail(field("p"), fmt::format("starts at {}, expected 0", A.p[0]));
    for (std::size_t k = 0; k < lines; ++k)
      if (A.p[k + 1] < A.p[k]) reader.fail(field("p"), fmt::format("falls after entry {}", k));
    used = static_cast<std::size_t>(A.p[lines]);
  }
  if (A.i.size() < used)
    reader.fail(field("i"), fmt::format("has {} numbers, expected {}", A.i.size(), used));
  if (A.x.size() < used)
    reader.fail(field("x"), fmt::format("has {} numbers, expected {}", A.x.size(), used));
  A.i.resize(used);
  A.x.resize(used);
  check_indices(reader, field("i"), A.i,
                A.storage == FclibMatrix::Storage::csr ? A.columns : A.rows);
  if (A.storage == FclibMatrix::Storage::triplet) check_indices(reader, field("p"), A.p, A.columns);
  reader.check_finite(A.x, field("x"));

  A.comment = reader.string(field("comment"));
  if (reader.has(field("conditioning")) && reader.has(field("determinant")) &&
      reader.has(field("rank")))
    A.condition = {reader.real(field("conditioning")), reader.real(field("determinant")),
                   reader.integer(field("rank"))};
  return A;
}

void check_shape(const Reader& reader, const std::string& name, const FclibMatrix& A,
                 std::size_t rows, std::size_t columns) {
  if (static_cast<std::size_t>(A.rows) != rows || static_cast<std::size_t>(A.columns) != columns)
    reader.fail(name,
                fmt::format("is {} by {}, expected {} by {}", A.rows, A.columns, rows, columns));
}

std::vector<double> read_friction(const Reader& reader, const std::string& name, std::size_t m,
                                  int spacedim) {
  const std::size_t d = static_cast<std::size_t>(spacedim);
  if (m % d != 0)
    reader.fail(name, fmt::format("{} unknowns are not a multiple of spacedim {}", m, spacedim));
  std::vector<double> mu = reader.finite_reals(name, m / d);
  for (std::size_t k = 0; k < mu.size(); ++k)
    if (mu[k] < 0) reader.fail(name, fmt::format("entry {} is {}, expected ≥ 0", k, mu[k]));
  return mu;
}

FclibLocal read_local(const Reader& reader, int spacedim) {
  const std::string group = "/fclib_local", vectors = group + "/vectors";
  FclibLocal out;
  reader.require_group(vectors);
  out.W = read_matrix(reader, group + "/W");
  const std::size_t m = static_cast<std::size_t>(out.W.rows);
  check_shape(reader, group + "/W", out.W, m, m);
  out.q = reader.finite_reals(vectors + "/q", m);
  out.mu = read_friction(reader, vectors + "/mu", m, spacedim);
  const bool has_V = reader.has_group(group + "/V"), has_R = reader.has_group(group + "/R");
  if (has_V != has_R) reader.fail(group, has_V ? "has V but not R" : "has R but not V");
  if (has_V) {
    out.R = read_matrix(reader, group + "/R");
    const std::size_t k = static_cast<std::size_t>(out.R->rows);
    check_shape(reader, group + "/R", *out.R, k, k);
    out.V = read_matrix(reader, group + "/V");
    check_shape(reader, group + "/V", *out.V, m, k);
    out.s = reader.finite_reals(vectors + "/s", k);
  }
  return out;
}

FclibGlobal read_global(const Reader& reader, int spacedim, bool rolling) {
  const std::string group = rolling ? "/fclib_global_rolling" : "/fclib_global";
  const std::string vectors = group + "/vectors";
  FclibGlobal out;
  reader.require_group(vectors);
  out.M = read_matrix(reader, group + "/M");
  const std::size_t n = static_cast<std::size_t>(out.M.rows);
  check_shape(reader, group + "/M", out.M, n, n);
  out.H = read_matrix(reader, group + "/H");
  const std::size_t m = static_cast<std::size_t>(out.H.columns);
  check_shape(reader, group + "/H", out.H, n, m);
  out.f = reader.finite_reals(vectors + "/f", n);
  out.w = reader.finite_reals(vectors + "/w", m);
  out.mu = read_friction(reader, vectors + "/mu", m, spacedim);
  if (rolling) out.mu_r = read_friction(reader, vectors + "/mu_r", m, spacedim);
  if (reader.has_group(group + "/G")) {
    out.G = read_matrix(reader, group + "/G");
    const std::size_t k = static_cast<std::size_t>(out.G->columns);
    check_shape(reader, group + "/G", *out.G, n, k);
    out.b = reader.finite_reals(vectors + "/b", k);
  }
  return out;
}

// v and l are present only if the problem has bodies and equality constraints.
FclibSolution read_solution(const Reader& reader, const std::string& name, std::size_t n,
                            std::size_t m, std::size_t k) {
  FclibSolution out;
  if (n > 0 && reader.has(name + "/v")) out.v = reader.finite_reals(name + "/v", n);
  if (reader.has(name + "/u")) out.u = reader.finite_reals(name + "/u", m);
  out.r = reader.finite_reals(name + "/r", m);
  if (k > 0 && reader.has(name + "/l")) out.l = reader.finite_reals(name + "/l", k);
  return out;
}

}  // namespace

FclibFile read_fclib(const std::filesystem::path& path) {
  require_regular_file(path);
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !survives(path, [&] { read_own_fclib(path); }))
    throw InputError(fmt::format("{}: damaged so that HDF5 cannot read it", path.string()));
  return read_own_fclib(path);
}

FclibFile read_own_fclib(const std::filesystem::path& path) {
  const Hdf5Silence silence;
  const Reader reader(path);
  const bool local = reader.has_group("/fclib_local"), global = reader.has_group("/fclib_global"),
             rolling = reader.has_group("/fclib_global_rolling");
  if (local + global + rolling != 1)
    throw InputError(fmt::format(
        "{}: expected one of the groups fclib_local, fclib_global, fclib_global_rolling, found {}",
        path.string(), local + global + rolling));
  const std::string group =
      local ? "/fclib_local" : (global ? "/fclib_global" : "/fclib_global_rolling");

  FclibFile file;
  file.spacedim = reader.integer(group + "/spacedim");
  const bool known = rolling ? (file.spacedim == 3 || file.spacedim == 5)
                             : (file.spacedim == 2 || file.spacedim == 3);
  if (!known)
    reader.fail(group + "/spacedim",
                fmt::format("{}, expected {}", file.spacedim, rolling ? "3 or 5" : "2 or 3"));
  std::size_t n = 0, m = 0, k = 0;
  if (local) {
    FclibLocal problem = read_local(reader, file.spacedim);
    m = problem.q.size();
    k = problem.s.size();
    file.problem = std::move(problem);
  } else {
    FclibGlobal problem = read_global(reader, file.spacedim, rolling);
    n = problem.f.size();
    m = problem.w.size();
    k = problem.b.size();
    file.problem = std::move(problem);
  }
  if (reader.has_group(group + "/info")) {
    file.title = reader.string(group + "/info/title");
    file.description = reader.string(group + "/info/description");
    file.math_info = reader.string(group + "/info/math_info");
  }
  if (reader.has_group("/guesses")) {
    const int guesses = reader.integer("/guesses/number_of_guesses");
    if (guesses < 0) reader.fail("/guesses/number_of_guesses", fmt::format("{}", guesses));
    for (int g = 1; g <= guesses; ++g) {
      const std::string name = fmt::format("/guesses/{}", g);
      reader.require_group(name);
      file.guesses.push_back(read_solution(reader, name, n, m, k));
    }
  }
  if (reader.has_group("/solution")) file.solution = read_solution(reader, "/solution", n, m, k);
  return file;
}

}  // namespace talus
