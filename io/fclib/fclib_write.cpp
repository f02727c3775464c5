// SPDX-License-Identifier: Apache-2.0
// Writes FCLib files: scalars as datasets of shape (1,), 32-bit integers, 64-bit reals, strings as
// fixed-length datasets, no chunking, as FCLib's own writer does.
#include <fmt/format.h>
#include <hdf5_hl.h>

#include <system_error>

#include "io/fclib/fclib.hpp"
#include "io/hdf5/hdf5_handle.hpp"
#include "io/text/input_error.hpp"
#include "io/text/new_file.hpp"

namespace talus {

namespace {

class Writer {
 public:
  Writer(const std::filesystem::path& path, const std::filesystem::path& unfinished)
      : path_(path.string()) {
    file_ = Hdf5Handle(H5Fcreate(unfinished.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                       H5Fclose);
    check(file_ ? 0 : -1);
  }

  void group(const std::string& name) {
    const Hdf5Handle made(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                          H5Gclose);
    check(made ? 0 : -1);
  }
  void integers(const std::string& name, const std::vector<int>& x) {
    const hsize_t size = x.size();
    check(H5LTmake_dataset(file_, name.c_str(), 1, &size, H5T_NATIVE_INT, x.data()));
  }
  void reals(const std::string& name, const std::vector<double>& x) {
    const hsize_t size = x.size();
    check(H5LTmake_dataset(file_, name.c_str(), 1, &size, H5T_NATIVE_DOUBLE, x.data()));
  }
  void integer(const std::string& name, int x) { integers(name, {x}); }
  void real(const std::string& name, double x) { reals(name, {x}); }
  void string(const std::string& name, const std::string& x) {
    check(H5LTmake_dataset_string(file_, name.c_str(), x.c_str()));
  }
  void close() { check(file_.reset() ? 0 : -1); }

 private:
  void check(herr_t status) const {
    if (status < 0) throw std::runtime_error(fmt::format("{}: cannot be written", path_));
  }

  std::string path_;
  Hdf5Handle file_;
};

void write_matrix(Writer& out, const std::string& name, const FclibMatrix& A) {
  out.group(name);
  const int entries = static_cast<int>(A.x.size());
  out.integer(name + "/nzmax", entries);
  out.integer(name + "/m", A.rows);
  out.integer(name + "/n", A.columns);
  out.integer(name + "/nz", A.storage == FclibMatrix::Storage::triplet ? entries
                            : A.storage == FclibMatrix::Storage::csc   ? -1
                                                                       : -2);
  out.integers(name + "/p", A.p);
  out.integers(name + "/i", A.i);
  out.reals(name + "/x", A.x);
  if (!A.comment.empty()) out.string(name + "/comment", A.comment);
  if (A.condition) {
    out.real(name + "/conditioning", A.condition->conditioning);
    out.real(name + "/determinant", A.condition->determinant);
    out.integer(name + "/rank", A.condition->rank);
  }
}

void write_solution(Writer& out, const std::string& name, const FclibSolution& solution) {
  out.group(name);
  if (!solution.v.empty()) out.reals(name + "/v", solution.v);
  if (!solution.u.empty()) out.reals(name + "/u", solution.u);
  out.reals(name + "/r", solution.r);
  if (!solution.l.empty()) out.reals(name + "/l", solution.l);
}

void write_file(Writer& out, const FclibFile& file) {
  const std::string group = file.rolling()  ? "/fclib_global_rolling"
                            : file.global() ? "/fclib_global"
                                            : "/fclib_local";
  const std::string vectors = group + "/vectors";
  out.group(group);
  out.integer(group + "/spacedim", file.spacedim);
  if (const FclibGlobal* problem = file.global()) {
    write_matrix(out, group + "/M", problem->M);
    write_matrix(out, group + "/H", problem->H);
    if (problem->G) write_matrix(out, group + "/G", *problem->G);
    out.group(vectors);
    out.reals(vectors + "/f", problem->f);
    out.reals(vectors + "/w", problem->w);
    out.reals(vectors + "/mu", problem->mu);
    if (problem->mu_r) out.reals(vectors + "/mu_r", *problem->mu_r);
    if (problem->G) out.reals(vectors + "/b", problem->b);
  } else {
    const FclibLocal& local = std::get<FclibLocal>(file.problem);
    write_matrix(out, group + "/W", local.W);
    if (local.V) write_matrix(out, group + "/V", *local.V);
    if (local.R) write_matrix(out, group + "/R", *local.R);
    out.group(vectors);
    out.reals(vectors + "/q", local.q);
    out.reals(vectors + "/mu", local.mu);
    if (local.V) out.reals(vectors + "/s", local.s);
  }
  out.group(group + "/info");
  out.string(group + "/info/title", file.title);
  out.string(group + "/info/description", file.description);
  out.string(group + "/info/math_info", file.math_info);
  if (!file.guesses.empty()) {
    out.group("/guesses");
    out.integer("/guesses/number_of_guesses", static_cast<int>(file.guesses.size()));
    for (std::size_t g = 0; g < file.guesses.size(); ++g)
      write_solution(out, fmt::format("/guesses/{}", g + 1), file.guesses[g]);
  }
  if (file.solution) write_solution(out, "/solution", *file.solution);
}

}  // namespace

void write_fclib(const std::filesystem::path& path, const FclibFile& file, bool replace) {
  const Existing existing = existing_files(replace);
  refuse_existing(path, existing);
  const Hdf5Silence silence;
  NewFile whole(path);
  Writer out(path, whole.unfinished());
  write_file(out, file);
  out.close();
  whole.put_in_place(existing);
}

}  // namespace talus
