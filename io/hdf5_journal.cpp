#include "io/hdf5_journal.hpp"

#include <fcntl.h>
#include <sys/file.h>
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

namespace talus::hdf5 {

namespace {

[[noreturn]] void fail_by_system() { throw Failure(std::strerror(errno)); }

void write_all(int file, const char* bytes, std::size_t count, haddr_t address) {
  while (count > 0) {
    const ssize_t done = pwrite(file, bytes, count, static_cast<off_t>(address));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail_by_system();
    bytes += done;
    address += static_cast<haddr_t>(done);
    count -= static_cast<std::size_t>(done);
  }
}

// How many bytes there were; the rest is zero.
std::size_t read_all(int file, char* bytes, std::size_t count, haddr_t address) {
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got = pread(file, bytes + done, count - done, static_cast<off_t>(address + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_by_system();
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  std::memset(bytes + done, 0, count - done);
  return done;
}

struct stat status_of(int file) {
  struct stat status {};
  if (fstat(file, &status) != 0) fail_by_system();
  return status;
}

std::filesystem::path journal_of(std::filesystem::path file) { return file += ".journal"; }

bool lock(int journal) { return flock(journal, LOCK_EX | LOCK_NB) == 0; }
bool locked_by_another() { return errno == EWOULDBLOCK; }

// What the journal begins with. All zero while there is nothing to finish.
struct Header {
  char name[8] = {};
  std::uint64_t file = 0;   // inode: a journal left beside another file of that name is not its own
  std::uint64_t pages = 0;  // that follow: their numbers, then their contents
  std::uint64_t checksum = 0;
};
constexpr char journal_name[8] = {'t', 'a', 'l', 'u', 's', 'j', 'n', '1'};
constexpr std::uint64_t most_pages = 1u << 22;  // 16 GiB: more is damage

// FNV-1a, eight bytes at a time.
std::uint64_t checksum(std::span<const char> bytes) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + i, 8);
    sum = (sum ^ word) * 0x100000001b3;
  }
  return sum;
}

// Lets f speak in exceptions inside a callback of HDF5's.
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

// The file driver HDF5 talks to: calls are passed on to the journal of the file.
struct Journal::Driver : H5FD_t {
  Journal* journal = nullptr;
  haddr_t end = 0;  // of the space HDF5 has taken

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
    return as_callback([&] { driver->journal->close(driver->end); });
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
    return as_callback([&] {
      of(file).journal->write(kind, address, {static_cast<const char*>(buffer), size});
    });
  }

  static herr_t flush(H5FD_t* file, hid_t, hbool_t) {
    return as_callback([&] { of(file).journal->flush(); });
  }

  // The file is to reach as far as its first block says, at least. It becomes shorter only when it
  // is closed: its last whole state may reach farther than the next one.
  static herr_t truncate(H5FD_t* file, hid_t, hbool_t) {
    return as_callback([&] {
      Journal& to = *of(file).journal;
      if (of(file).end <= to.length_) return;
      if (ftruncate(to.file_, static_cast<off_t>(of(file).end)) != 0) fail_by_system();
      to.length_ = of(file).end;
    });
  }

  static hid_t registered() {
    static const H5FD_class_t driver = [] {
      H5FD_class_t c{};
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

Journal::~Journal() {
  if (journal_ >= 0) ::close(journal_);
}

Handle Journal::create(const std::filesystem::path& file) {
  return {H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, Driver::access(this)),
          "create the file", H5Fclose};
}

Handle Journal::open(const std::filesystem::path& file) {
  return {H5Fopen(file.c_str(), H5F_ACC_RDWR, Driver::access(this)), "open the file", H5Fclose};
}

void Journal::start(const std::filesystem::path& file) {
  journal_path_ = journal_of(file);
  journal_ = ::open(journal_path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (journal_ < 0) fail_by_system();
  if (!lock(journal_) && locked_by_another()) {
    ::close(std::exchange(journal_, -1));
    throw Failure("another program is writing it");
  }
  if (ftruncate(journal_, 0) != 0) fail_by_system();
  kept_ = length_;
}

bool Journal::holds_back(H5FD_mem_t kind) const {
  return journal_ >= 0 && !(rows_pass_ && kind == H5FD_MEM_DRAW);
}

void Journal::write(H5FD_mem_t kind, haddr_t address, std::span<const char> bytes) {
  length_ = std::max(length_, address + bytes.size());
  const haddr_t first_free = (kept_ + page_size - 1) / page_size * page_size;
  if (holds_back(kind) && address < first_free) {
    const auto held = std::min<haddr_t>(bytes.size(), first_free - address);
    hold(address, bytes.first(held));
    address += held;
    bytes = bytes.subspan(held);
  }
  if (bytes.empty()) return;
  write_all(file_, bytes.data(), bytes.size(), address);
  // Pages in hand were read before this.
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
    const auto [page, is_new] = held_.try_emplace(number);
    if (is_new && count < page_size)
      read_all(file_, page->second.data(), page_size, number * page_size);
    std::copy_n(bytes.begin(), count, page->second.begin() + static_cast<long>(offset));
    address += count;
    bytes = bytes.subspan(count);
  }
}

void Journal::read(haddr_t address, std::span<char> bytes) const {
  read_all(file_, bytes.data(), bytes.size(), address);
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

namespace {

// Pages that follow each other go in one piece.
void write_pages(int file, std::span<const std::uint64_t> numbers, const char* contents) {
  constexpr std::size_t size = Journal::page_size;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t n = 1;
    while (i + n < numbers.size() && numbers[i + n] == numbers[i] + n) ++n;
    write_all(file, contents + i * size, n * size, numbers[i] * size);
    i += n;
  }
}

}  // namespace

void Journal::flush() {
  if (journal_ < 0) return;
  if (!held_.empty()) {
    std::vector<char> body(held_.size() * (sizeof(std::uint64_t) + page_size));
    char* const contents = body.data() + held_.size() * sizeof(std::uint64_t);
    std::vector<std::uint64_t> numbers;
    numbers.reserve(held_.size());
    for (const auto& [number, page] : held_) {
      std::copy(page.begin(), page.end(), contents + numbers.size() * page_size);
      numbers.push_back(number);
    }
    std::memcpy(body.data(), numbers.data(), numbers.size() * sizeof(std::uint64_t));
    Header header{.file = status_of(file_).st_ino, .pages = numbers.size()};
    std::copy(std::begin(journal_name), std::end(journal_name), header.name);
    header.checksum = checksum(body);
    write_all(journal_, body.data(), body.size(), sizeof header);
    write_all(journal_, reinterpret_cast<const char*>(&header), sizeof header, 0);
    write_pages(file_, numbers, contents);
    const Header nothing;
    write_all(journal_, reinterpret_cast<const char*>(&nothing), sizeof nothing, 0);
    length_ = std::max<haddr_t>(length_, (numbers.back() + 1) * page_size);
    held_.clear();
  }
  kept_ = length_;
}

// HDF5 writes once more after its last flush. What was set aside for the file and not needed is
// given back.
void Journal::close(haddr_t end) {
  std::string trouble;
  try {
    flush();
    if (journal_ >= 0) {
      if (ftruncate(file_, static_cast<off_t>(end)) != 0) fail_by_system();
      unlink(journal_path_.c_str());
    }
  } catch (const Failure& failure) {
    trouble = failure.what();
  }
  ::close(std::exchange(file_, -1));
  if (!trouble.empty()) throw Failure(trouble);
}

namespace {

// The journal of a file whose writer has gone, or nothing.
class AbandonedJournal {
 public:
  explicit AbandonedJournal(const std::filesystem::path& path)
      : descriptor_(::open(path.c_str(), O_RDWR | O_CLOEXEC)) {
    if (descriptor_ >= 0 && !lock(descriptor_)) ::close(std::exchange(descriptor_, -1));
  }
  AbandonedJournal(const AbandonedJournal&) = delete;
  AbandonedJournal& operator=(const AbandonedJournal&) = delete;
  ~AbandonedJournal() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  explicit operator bool() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace

void finish_flush(const std::filesystem::path& path) {
  const AbandonedJournal journal(journal_of(path));
  if (!journal) return;
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  constexpr std::size_t page_bytes = sizeof(std::uint64_t) + Journal::page_size;
  try {
    Header header;
    read_all(journal.descriptor(), reinterpret_cast<char*>(&header), sizeof header, 0);
    const bool named = std::equal(std::begin(journal_name), std::end(journal_name), header.name);
    if (named && header.file == status_of(file).st_ino && header.pages <= most_pages &&
        static_cast<std::uint64_t>(status_of(journal.descriptor()).st_size) >=
            sizeof header + header.pages * page_bytes) {
      std::vector<char> body(header.pages * page_bytes);
      read_all(journal.descriptor(), body.data(), body.size(), sizeof header);
      if (checksum(body) == header.checksum) {
        std::vector<std::uint64_t> numbers(header.pages);
        std::memcpy(numbers.data(), body.data(), header.pages * sizeof(std::uint64_t));
        write_pages(file, numbers, body.data() + header.pages * sizeof(std::uint64_t));
      }
    }
    unlink(journal_of(path).c_str());
  } catch (const Failure&) {  // the file stays as it is, and reading it tells what is wrong
  }
  ::close(file);
}

bool is_being_written(const std::filesystem::path& path) {
  const int journal = ::open(journal_of(path).c_str(), O_RDWR | O_CLOEXEC);
  if (journal < 0) return false;
  const bool written = !lock(journal) && locked_by_another();
  ::close(journal);
  return written;
}

}  // namespace talus::hdf5
