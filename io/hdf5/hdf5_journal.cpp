// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5/hdf5_journal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>  // file drivers are declared there since 1.13
#endif

namespace talus::hdf5 {

namespace {

constexpr std::size_t page_size = journal_page_size;

[[noreturn]] void fail_by_system() { throw Failure(std::strerror(errno)); }

struct stat status_of(int file) {
  struct stat status {};
  if (fstat(file, &status) != 0) fail_by_system();
  return status;
}

// Whether an open file still has this name. True if the system cannot tell: then the write shows
// it.
bool has_name(int file, const std::filesystem::path& name) {
  struct stat there {};
  if (stat(name.c_str(), &there) != 0) return errno != ENOENT;
  const struct stat here = status_of(file);
  return there.st_dev == here.st_dev && there.st_ino == here.st_ino;
}

// The file may have holes. Disk space must be reserved for all pages before the journal lists them.
void set_blocks_aside(int file, const JournalPages& pages) {
  for (auto page = pages.begin(); page != pages.end();) {
    const std::uint64_t first = page->first;
    std::uint64_t end = first;
    for (; page != pages.end() && page->first == end; ++page) ++end;
    const int done = fallocate(file, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(first * page_size),
                               static_cast<off_t>((end - first) * page_size));
    if (done != 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) fail_by_system();
  }
}

// Runs f inside a C callback of HDF5 and turns its exceptions into an error code.
template <class F>
herr_t as_callback(F f) {
  try {
    f();
    return 0;
  } catch (const std::exception& error) {
    H5Epush2(H5E_DEFAULT, __FILE__, __func__, __LINE__, H5E_ERR_CLS, H5E_VFL, H5E_WRITEERROR, "%s",
             error.what());
    return -1;
  }
}

}  // namespace

// The virtual file driver (H5FD) of HDF5: forwards all calls to the journal of the file.
struct Journal::Driver : H5FD_t {
  Journal* journal = nullptr;
  haddr_t end = 0;  // of the allocated address space

  static Driver& of(H5FD_t* file) { return *static_cast<Driver*>(file); }
  static const Driver& of(const H5FD_t* file) { return *static_cast<const Driver*>(file); }

  static H5FD_t* open(const char* name, unsigned flags, hid_t properties, haddr_t) {
    auto driver = std::make_unique<Driver>();
    const herr_t done = as_callback([&] {
      driver->journal = *static_cast<Journal* const*>(H5Pget_driver_info(properties));
      int how = flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY;
      if (flags & H5F_ACC_CREAT) how |= O_CREAT;
      if (flags & H5F_ACC_TRUNC) how |= O_TRUNC;
      if (flags & H5F_ACC_EXCL) how |= O_EXCL;
      Journal& to = *driver->journal;
      to.file_ = ::open(name, how | O_CLOEXEC, 0666);
      if (to.file_ < 0) fail_by_system();
      to.length_ = static_cast<haddr_t>(status_of(to.file_).st_size);
    });
    return done < 0 ? nullptr : driver.release();
  }

  static herr_t close(H5FD_t* file) {
    const std::unique_ptr<Driver> driver(&of(file));
    Journal& to = *driver->journal;
    to.change([&] { to.finish(driver->end); });
    ::close(std::exchange(to.file_, -1));
    return 0;
  }

  static herr_t query(const H5FD_t*, unsigned long* flags) {
    if (flags)
      *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
               H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
  }

  static haddr_t get_eoa(const H5FD_t* file, H5FD_mem_t) { return of(file).end; }
  static herr_t set_eoa(H5FD_t* file, H5FD_mem_t, haddr_t end) {
    of(file).end = end;
    return 0;
  }
  static haddr_t get_eof(const H5FD_t* file, H5FD_mem_t) { return of(file).journal->length_; }

  static herr_t get_handle(H5FD_t* file, hid_t, void** handle) {
    *handle = &of(file).journal->file_;
    return 0;
  }

  static herr_t read(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size,
                     void* buffer) {
    return as_callback([&] {
      of(file).journal->read(address, {static_cast<char*>(buffer), size});
    });
  }

  static herr_t write(H5FD_t* file, H5FD_mem_t kind, hid_t, haddr_t address, std::size_t size,
                      const void* buffer) {
    of(file).journal->write(kind, address, {static_cast<const char*>(buffer), size});
    return 0;
  }

  static herr_t flush(H5FD_t* file, hid_t, hbool_t) {
    Journal& to = *of(file).journal;
    to.change([&] { to.flush(); });
    return as_callback([&] {
      if (!to.trouble_.empty() && !to.closing_) throw Failure(to.trouble_);
    });
  }

  // The file must be at least as long as its superblock says. It is shortened only when it is
  // closed, because its last consistent state may be longer than the next one.
  static herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
    Journal& to = *of(file).journal;
    to.change([&] {
      if (of(file).end <= to.length_) return;
      if (ftruncate(to.file_, static_cast<off_t>(of(file).end)) != 0) fail_by_system();
      to.length_ = of(file).end;
    });
    return 0;
  }

  static hid_t registered() {
    static const H5FD_class_t driver = [] {
      H5FD_class_t c{};
#if H5_VERSION_GE(1, 13, 0)
      c.version = H5FD_CLASS_VERSION;
      c.value = 511;  // in the range reserved for private drivers
#endif
      c.name = "talus_journal";
      c.maxaddr = static_cast<haddr_t>(std::numeric_limits<off_t>::max());
      c.fc_degree = H5F_CLOSE_WEAK;
      c.fapl_size = sizeof(Journal*);
      c.open = open;
      c.close = close;
      c.query = query;
      c.get_eoa = get_eoa;
      c.set_eoa = set_eoa;
      c.get_eof = get_eof;
      c.get_handle = get_handle;
      c.read = read;
      c.write = write;
      c.flush = flush;
      c.truncate = truncate;
      const H5FD_mem_t rows_apart[] = H5FD_FLMAP_DICHOTOMY;
      std::copy(std::begin(rows_apart), std::end(rows_apart), c.fl_map);
      return c;
    }();
    static const hid_t id = check(H5FDregister(&driver), "prepare the journal");
    return id;
  }

  static Handle access(Journal* journal) {
    Handle properties = access_properties();
    check(H5Pset_driver(properties, registered(), &journal), "prepare the journal");
    return properties;
  }
};

template <class F>
void Journal::change(F f) {
  if (!trouble_.empty()) return;
  try {
    f();
  } catch (const std::exception& failure) {
    trouble_ = failure.what();
  }
}

Handle Journal::create(const std::filesystem::path& file) {
  return {H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, Driver::access(this)),
          "create the file", H5Fclose};
}

Handle Journal::open(const std::filesystem::path& file) {
  return {H5Fopen(file.c_str(), H5F_ACC_RDWR, Driver::access(this)), "open the file", H5Fclose};
}

void Journal::start(WriteClaim claim) {
  claim_ = std::move(claim);
  clear_journal(claim_->journal());
  if (ftruncate(claim_->journal(), 0) != 0) fail_by_system();
  kept_ = length_;
}

bool Journal::holds_back(H5FD_mem_t kind) const {
  return !trouble_.empty() || (claim_ && !(rows_pass_ && kind == H5FD_MEM_DRAW));
}

void Journal::write(H5FD_mem_t kind, haddr_t address, std::span<const char> bytes) {
  length_ = std::max(length_, address + bytes.size());
  const haddr_t first_free =
      trouble_.empty() ? (kept_ + page_size - 1) / page_size * page_size : HADDR_MAX;
  if (holds_back(kind) && address < first_free) {
    const auto held = std::min<haddr_t>(bytes.size(), first_free - address);
    hold(address, bytes.first(held));
    address += held;
    bytes = bytes.subspan(held);
  }
  if (bytes.empty()) return;
  change([&] { write_at(file_, address, bytes); });
  if (!trouble_.empty()) return hold(address, bytes);
  // Pages that are already held were read before.
  const haddr_t end = address + bytes.size();
  for (auto page = held_.lower_bound(address / page_size);
       page != held_.end() && page->first * page_size < end; ++page) {
    const haddr_t start = page->first * page_size;
    const haddr_t from = std::max(start, address), to = std::min(start + page_size, end);
    std::copy(bytes.begin() + static_cast<long>(from - address),
              bytes.begin() + static_cast<long>(to - address),
              page->second.begin() + static_cast<long>(from - start));
  }
}

void Journal::hold(haddr_t address, std::span<const char> bytes) {
  while (!bytes.empty()) {
    const haddr_t number = address / page_size;
    const std::size_t offset = address % page_size;
    const std::size_t count = std::min(bytes.size(), page_size - offset);
    const auto found = held_.try_emplace(number);
    auto& page = found.first->second;
    if (const bool is_new = found.second; is_new && count < page_size)
      change([&] { read_at(file_, number * page_size, page); });
    std::copy_n(bytes.begin(), count, page.begin() + static_cast<long>(offset));
    address += count;
    bytes = bytes.subspan(count);
  }
}

void Journal::read(haddr_t address, std::span<char> bytes) const {
  read_at(file_, address, bytes);
  const haddr_t end = address + bytes.size();
  for (auto page = held_.lower_bound(address / page_size);
       page != held_.end() && page->first * page_size < end; ++page) {
    const haddr_t start = page->first * page_size;
    const haddr_t from = std::max(start, address), to = std::min(start + page_size, end);
    std::copy(page->second.begin() + static_cast<long>(from - start),
              page->second.begin() + static_cast<long>(to - start),
              bytes.begin() + static_cast<long>(from - address));
  }
}

void Journal::flush() {
  if (!claim_) return;
  std::filesystem::path journal = claim_->run();
  journal += ".journal";
  // Data written to a file without a name would be lost, and a new journal would let other programs
  // write.
  if (!has_name(file_, claim_->run()) || !has_name(claim_->journal(), journal))
    throw Failure("the file or its journal was removed or replaced");
  if (!held_.empty()) {
    set_blocks_aside(file_, held_);
    if (!readers_.lock_out_readers(file_, !readers_finish_)) return;
    write_through_journal(claim_->journal(), file_, held_);
    length_ = std::max<haddr_t>(length_, (held_.rbegin()->first + 1) * page_size);
    held_.clear();
    readers_.let_readers_in(file_);
  }
  kept_ = length_;
}

// HDF5 writes once more after its last flush. Then reserved space that was not needed is released.
void Journal::finish(haddr_t end) {
  readers_finish_ = false;  // there is no later flush
  flush();
  if (claim_ && ftruncate(file_, static_cast<off_t>(end)) != 0) fail_by_system();
}

}  // namespace talus::hdf5
