// SPDX-License-Identifier: Apache-2.0
#include "solvers/sweep/ordering.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>

#include "solvers/math/index.hpp"
#include "solvers/math/parallel.hpp"
#include "solvers/sweep/seams.hpp"

namespace talus {

namespace {

// A body with more contacts than this in other blocks is a hub.
constexpr int hub_contacts = 32;

// Contacts of a body with more contacts than this are listed with the other body, so that packets
// can be filled with contacts that do not touch it.
constexpr int crowded = 16;

constexpr std::uint64_t key(int high, int low) {
  return static_cast<std::uint64_t>(high) << 32 | static_cast<std::uint32_t>(low);
}
constexpr int low_part(std::uint64_t key) { return static_cast<int>(key & 0xffffffffu); }
constexpr int high_part(std::uint64_t key) { return static_cast<int>(key >> 32); }

bool moves(const Link& pair) { return pair.a >= 0 || pair.b >= 0; }
int moving_body(const Link& pair) { return pair.a >= 0 ? pair.a : pair.b; }

}  // namespace

int SweepOrder::Growing::fixed_line(int block) const {
  return first_line + std::min((block + 1) * block_size, bodies) + 2 * block;
}

int SweepOrder::Growing::homes() const {
  const int count = blocks();
  return count + Seams{count}.pieces_below(-1);
}

int SweepOrder::island_of(const Link& pair) const {
  return island_of_root_[at(root_of_body_[at(moving_body(pair))])];
}

int SweepOrder::line_of(int body) const { return body < 0 ? -1 : line_of_body_[at(body)]; }

void SweepOrder::build(std::span<const int> root_of_body, std::span<const Link> contacts,
                       std::span<const Link> rows, std::span<const int> body_order) {
  const std::size_t bodies = root_of_body.size();
  assert((body_order.empty() || body_order.size() == bodies) && "an order of all bodies");
  if (bodies == bodies_ && std::ranges::equal(root_of_body, root_of_body_) &&
      std::ranges::equal(contacts, contact_bodies_) && std::ranges::equal(rows, row_bodies_) &&
      std::ranges::equal(body_order, body_order_)) {
    return;
  }
  bodies_ = 0;  // until it is built
  contact_bodies_.assign(contacts.begin(), contacts.end());
  row_bodies_.assign(rows.begin(), rows.end());
  body_order_.assign(body_order.begin(), body_order.end());
  islands_.clear();
  blocks_.clear();
  phases_.clear();
  pieces_.clear();
  packets_.clear();
  packets_.reserve(contacts.size() / 4 + contacts.size() / 64 + 16);  // as packings fill them
  rows_.clear();
  hubs_.clear();
  copies_.clear();
  line_body_.clear();
  line_share_.clear();
  has_hubs_ = false;

  root_of_body_.assign(root_of_body.begin(), root_of_body.end());
  count_by_island(bodies);
  count_contacts(bodies);
  place_bodies(bodies);
  sort_contacts();
  sort_by_home();
  sort_rows();
  member_.resize(std::max(member_.size(), line_body_.size()), 0);
  for (const Growing& growing : growing_) order_island(growing);
  order_single_contacts();
  bodies_ = bodies;
}

void SweepOrder::count_by_island(std::size_t bodies) {
  contacts_of_root_.assign(bodies, 0);
  rows_of_root_.assign(bodies, 0);
  const auto count = [&](const std::vector<Link>& pairs, std::vector<int>& of_root) {
    parallel_stretches(pairs.size(), [&](std::size_t first, std::size_t last) {
      int root = 0, here = 0;  // mostly it is the same island as before
      const auto add = [&] {
        if (here > 0) std::atomic_ref(of_root[at(root)]).fetch_add(here, std::memory_order_relaxed);
        here = 0;
      };
      for (std::size_t i = first; i < last; ++i) {
        if (!moves(pairs[i])) continue;
        const int next = root_of_body_[at(moving_body(pairs[i]))];
        if (next != root) add();
        root = next;
        ++here;
      }
      add();
    });
  };
  count(contact_bodies_, contacts_of_root_);
  count(row_bodies_, rows_of_root_);
}

void SweepOrder::count_contacts(std::size_t bodies) {
  by_body_.count(2 * contact_bodies_.size(), bodies, [&](std::size_t k) {
    const Link& pair = contact_bodies_[k / 2];
    return k % 2 == 0 ? pair.a : pair.b;
  });
  contacts_of_body_.resize(bodies);
  std::atomic<bool> many = false;
  parallel_for(bodies, [&](std::size_t i) {
    contacts_of_body_[i] = by_body_.counted(i);
    if (contacts_of_body_[i] > hub_contacts && !many) many = true;  // written once
  });
  for (const auto [a, b] : row_bodies_) {
    for (const int body : {a, b})
      if (body >= 0 && ++contacts_of_body_[at(body)] > hub_contacts) many = true;
  }
  hubs_possible_ = many;
}

// Gives every body its line: island after island, in body order, block after block.
void SweepOrder::place_bodies(std::size_t bodies) {
  constexpr int unseen = -1, single = -2, unmoved = -1;
  const auto body_at = [&](std::size_t k) {
    return body_order_.empty() ? static_cast<int>(k) : body_order_[k];
  };
  island_of_root_.resize(bodies);
  line_of_body_.resize(bodies);
  island_at_.resize(bodies);
  rank_at_.resize(bodies);
  parallel_for(bodies, [&](std::size_t i) {
    island_of_root_[i] = contacts_of_root_[i] == 1 && rows_of_root_[i] == 0 ? single : unseen;
    const std::size_t body = at(body_at(i));
    island_at_[i] = contacts_of_body_[body] > 0 ? root_of_body_[body] : unmoved;
  });
  growing_.clear();
  for (std::size_t k = 0; k < bodies; ++k) {  // one thread: islands are numbered as they come
    if (island_at_[k] == unmoved) continue;
    const std::size_t root = at(island_at_[k]);
    int& island = island_of_root_[root];
    if (island == unseen) {
      island = static_cast<int>(growing_.size());
      growing_.emplace_back();
      growing_.back().contacts = contacts_of_root_[root];
      growing_.back().rows = rows_of_root_[root];
    }
    island_at_[k] = island;
    if (island != single) rank_at_[k] = growing_[at(island)].bodies++;
  }
  int lines = 0;
  homes_ = 0;
  for (Growing& growing : growing_) {
    const int blocks = (growing.bodies + block_bodies - 1) / block_bodies;
    growing.block_size = (growing.bodies + blocks - 1) / blocks;
    growing.first_line = lines;
    growing.first_home = homes_;
    lines += growing.bodies + 2 * growing.blocks();
    homes_ += growing.homes();
  }
  line_body_.resize(at(lines));
  parallel_for(bodies, [&](std::size_t k) {
    if (island_at_[k] < 0) return;
    const Growing& growing = growing_[at(island_at_[k])];
    const int line = growing.first_line + rank_at_[k] + 2 * (rank_at_[k] / growing.block_size);
    line_of_body_[at(body_at(k))] = line;
    line_body_[at(line)] = body_at(k);
  });
  for (const Growing& growing : growing_) {
    for (int block = 0; block < growing.blocks(); ++block) {
      line_body_[at(growing.fixed_line(block))] = no_motion;
      line_body_[at(growing.fixed_line(block)) + 1] = no_contact;
    }
  }
  line_share_.assign(line_body_.size(), 1.0);
}

// Finds the home of every contact and sorts contacts by the first line they move, so that those of
// a block come in body order. Behind them those alone on their bodies, which have no line yet.
void SweepOrder::sort_contacts() {
  constexpr int none = -1;
  const int alone = static_cast<int>(line_body_.size());
  owner_.resize(contact_bodies_.size());
  home_.resize(contact_bodies_.size());
  const auto is_crowded = [&](int body) { return contacts_of_body_[at(body)] > crowded; };
  parallel_for(contact_bodies_.size(), [&](std::size_t i) {
    const Link& pair = contact_bodies_[i];
    if (!moves(pair)) {
      owner_[i] = none;
      return;
    }
    const int island = island_of(pair);
    if (island < 0) {
      owner_[i] = alone;
      home_[i] = homes_;
      return;
    }
    const Growing& growing = growing_[at(island)];
    home_[i] = growing.first_home + home_of(growing, pair);
    const int a = line_of(pair.a), b = line_of(pair.b);
    if (a < 0 || b < 0) {
      owner_[i] = std::max(a, b);
    } else if (is_crowded(pair.a) != is_crowded(pair.b)) {
      owner_[i] = is_crowded(pair.a) ? b : a;
    } else {
      owner_[i] = std::min(a, b);
    }
  });
  by_owner_.sort(
      owner_.size(), at(alone) + 1, [](std::size_t i) { return static_cast<int>(i); },
      [&](std::size_t i) { return owner_[i]; });
}

void SweepOrder::sort_by_home() {
  const std::span<const int> contacts = by_owner_.sorted();
  by_home_.sort(
      contacts.size(), at(homes_) + 1, [&](std::size_t k) { return contacts[k]; },
      [&](std::size_t k) { return home_[at(contacts[k])]; });
}

void SweepOrder::sort_rows() {
  row_keys_.clear();
  for (std::size_t i = 0; i < row_bodies_.size(); ++i) {
    if (!moves(row_bodies_[i])) continue;
    row_keys_.push_back(key(island_of(row_bodies_[i]), static_cast<int>(i)));
  }
  std::sort(row_keys_.begin(), row_keys_.end());
  std::size_t first = 0;
  for (Growing& growing : growing_) {
    growing.first_row = first;
    first += at(growing.rows);
  }
}

// The block whose sweep visits a contact or row: that of its bodies, of the other body if one is a
// hub; blocks() plus the number of its piece of a seam if it lies between two.
int SweepOrder::home_of(const Growing& growing, Link pair) const {
  int a = line_of(pair.a), b = line_of(pair.b);
  if (a < 0) a = b;
  if (b < 0) b = a;
  const int block_a = growing.block_of(a), block_b = growing.block_of(b);
  if (block_a == block_b) return block_a;
  if (is_hub(a)) return is_hub(b) ? std::min(block_a, block_b) : block_b;
  if (is_hub(b)) return block_a;
  return growing.blocks() + Seams{growing.blocks()}.piece_between(std::min(block_a, block_b),
                                                                  std::max(block_a, block_b));
}

// Where a body's velocity is found from within a block.
int SweepOrder::lane_line(int body, int fixed_line, int block) const {
  const int line = line_of(body);
  if (line < 0) return fixed_line;
  if (!is_hub(line)) return line;
  const auto found = std::lower_bound(hub_keys_.begin(), hub_keys_.end(), key(line, block));
  assert(found != hub_keys_.end() && *found == key(line, block) && "a copy in every block");
  return hub_lines_[static_cast<std::size_t>(found - hub_keys_.begin())];
}

void SweepOrder::order_island(const Growing& growing) {
  const int blocks = growing.blocks();
  Island island;
  island.lines = {at(growing.first_line), at(growing.fixed_line(blocks - 1)) + 2};
  island.contacts = at(growing.contacts);
  island.packets.first = packets_.size();
  island.rows.first = rows_.size();
  island.blocks.first = blocks_.size();
  island.phases.first = phases_.size();
  island.pieces.first = pieces_.size();
  island.hubs.first = hubs_.size();
  has_hubs_ = false;
  hub_keys_.clear();
  hub_lines_.clear();
  if (blocks > 1 && hubs_possible_ && find_hubs(growing, island)) {
    const std::span<const int> contacts = contacts_of(growing);
    around_hubs_.sort(
        contacts.size(), at(growing.homes()), [&](std::size_t k) { return contacts[k]; },
        [&](std::size_t k) { return home_of(growing, contact_bodies_[at(contacts[k])]); });
  }
  std::span<std::uint64_t> rows = std::span(row_keys_).subspan(growing.first_row, at(growing.rows));
  for (std::uint64_t& row : rows) {
    const int number = low_part(row);
    const int home = blocks > 1 ? home_of(growing, row_bodies_[at(number)]) : 0;
    row = key(std::min(home, blocks), number);
  }
  std::sort(rows.begin(), rows.end());

  auto row = rows.begin();
  const auto take_rows = [&](int home, int fixed_line) {
    for (; row != rows.end() && high_part(*row) == home; ++row) {
      const Link& pair = row_bodies_[at(low_part(*row))];
      rows_.push_back({low_part(*row), lane_line(pair.a, fixed_line, home),
                       lane_line(pair.b, fixed_line, home)});
    }
  };
  if (filled_.size() < at(blocks)) filled_.resize(at(blocks));
  parallel_chunks(
      at(blocks),
      [&](std::size_t block, std::size_t, std::size_t) {
        const int home = static_cast<int>(block);
        fill_packets(contacts_at(growing, home), growing.fixed_line(home), home, filled_[block]);
      },
      1);
  for (int block = 0; block < blocks; ++block) {
    Block out;
    out.lines = {at(growing.first_line + block * (growing.block_size + 2)),
                 at(growing.fixed_line(block)) + 2};
    out.packets.first = packets_.size();
    out.rows.first = rows_.size();
    packets_.insert(packets_.end(), filled_[at(block)].begin(), filled_[at(block)].end());
    take_rows(block, growing.fixed_line(block));
    out.packets.last = packets_.size();
    out.rows.last = rows_.size();
    blocks_.push_back(out);
  }
  island.rows_between.first = rows_.size();
  if (blocks > 1) {
    order_seams(growing);
    take_rows(blocks, growing.fixed_line(0));
  }
  island.packets.last = packets_.size();
  island.rows.last = island.rows_between.last = rows_.size();
  island.blocks.last = blocks_.size();
  island.phases.last = phases_.size();
  island.pieces.last = pieces_.size();
  island.hubs.last = hubs_.size();
  islands_.push_back(island);
}

// Finds the hubs of an island, whose contacts have the homes they would have without, and makes
// their copies. False if there are none.
bool SweepOrder::find_hubs(const Growing& growing, Island& island) {
  const std::span<const int> contacts = contacts_of(growing);
  const std::span<const std::uint64_t> rows =
      std::span<const std::uint64_t>(row_keys_).subspan(growing.first_row, at(growing.rows));
  const auto each_pair = [&](auto visit) {
    for (const int contact : contacts) visit(contact_bodies_[at(contact)]);
    for (const std::uint64_t row : rows) visit(row_bodies_[at(low_part(row))]);
  };
  degree_.resize(line_body_.size());
  std::fill(degree_.begin() + growing.first_line,
            degree_.begin() + static_cast<std::ptrdiff_t>(island.lines.last), 0);
  bool found = false;
  const auto count = [&](const Link& pair) {
    const int a = line_of(pair.a), b = line_of(pair.b);
    if (a < 0 || b < 0 || growing.block_of(a) == growing.block_of(b)) return;
    found |= ++degree_[at(a)] > hub_contacts;
    found |= ++degree_[at(b)] > hub_contacts;
  };
  for (const int contact : contacts) {
    if (home_[at(contact)] >= growing.first_home + growing.blocks())
      count(contact_bodies_[at(contact)]);
  }
  for (const std::uint64_t row : rows) count(row_bodies_[at(low_part(row))]);
  has_hubs_ = found;
  if (!found) return false;
  for (std::size_t line = island.lines.first; line < island.lines.last; ++line) {
    if (degree_[line] > hub_contacts) degree_[line] = -1;
  }

  std::vector<std::uint64_t>& keys = hub_keys_;
  each_pair([&](const Link& pair) {
    const int home = home_of(growing, pair);
    for (const int line : {line_of(pair.a), line_of(pair.b)}) {
      if (is_hub(line)) keys.push_back(key(line, home));
    }
  });
  std::sort(keys.begin(), keys.end());
  std::size_t kept = 0;
  for (std::size_t k = 0; k < keys.size();) {
    const int line = high_part(keys[k]);
    const std::size_t end =
        static_cast<std::size_t>(std::lower_bound(keys.begin() + static_cast<std::ptrdiff_t>(k),
                                                  keys.end(), key(line + 1, 0)) -
                                 keys.begin());
    Hub hub{line, {copies_.size(), 0}};
    const double contacts_of_hub = static_cast<double>(end - k);
    while (k < end) {
      const std::uint64_t copy = keys[k];
      std::size_t next = k;
      while (next < end && keys[next] == copy) ++next;
      const double share = static_cast<double>(next - k) / contacts_of_hub;
      copies_.push_back({static_cast<int>(line_body_.size()), share});
      hub_lines_.push_back(static_cast<int>(line_body_.size()));
      line_body_.push_back(line_body_[at(line)]);
      line_share_.push_back(share);
      keys[kept++] = copy;
      k = next;
    }
    hub.copies.last = copies_.size();
    hubs_.push_back(hub);
  }
  keys.resize(kept);
  member_.resize(std::max(member_.size(), line_body_.size()), 0);
  return true;
}

std::span<const int> SweepOrder::contacts_of(const Growing& growing) const {
  return by_owner_.with_keys(at(growing.first_line), at(growing.fixed_line(growing.blocks() - 1)));
}

std::span<const int> SweepOrder::contacts_at(const Growing& growing, int home) const {
  return has_hubs_ ? around_hubs_.with_key(at(home))
                   : by_home_.with_key(at(growing.first_home + home));
}

void SweepOrder::order_seams(const Growing& growing) {
  const Seams seams{growing.blocks()};
  int home = growing.blocks();
  const auto order_phase = [&](int pieces) {
    if (filled_.size() < at(pieces)) filled_.resize(at(pieces));
    parallel_chunks(
        at(pieces),
        [&](std::size_t k, std::size_t, std::size_t) {
          const std::span<const int> list = contacts_at(growing, home + static_cast<int>(k));
          filled_[k].clear();
          if (list.empty()) return;
          // Lanes without a contact take the lines of a block that no other piece touches.
          const int block = growing.block_of(line_of(contact_bodies_[at(list.front())].a));
          fill_packets(list, growing.fixed_line(block), block, filled_[k]);
        },
        1);
    phases_.push_back({pieces_.size(), pieces_.size() + at(pieces)});
    for (int k = 0; k < pieces; ++k) {
      pieces_.push_back({packets_.size(), packets_.size() + filled_[at(k)].size()});
      packets_.insert(packets_.end(), filled_[at(k)].begin(), filled_[at(k)].end());
    }
    home += pieces;
  };
  for (int depth = seams.depths() - 1; depth >= 0; --depth) {
    for (int phase = 0; phase < seams.parts(depth); ++phase) order_phase(seams.pieces(depth));
  }
}

// Packets of four contacts of one block or seam, each contact in the oldest open packet that moves
// none of its bodies. Packets next to each other share no body either, where that can be had: then
// a processor works on the second before the first is finished.
void SweepOrder::fill_packets(std::span<const int> list, int fixed_line, int block,
                              std::vector<OrderedPacket>& packets) {
  constexpr int window = 64;  // packets open at a time: one bit each in member_
  packets.clear();
  std::uint64_t open = 0;
  int filled[window] = {};
  std::size_t oldest = 0;  // first packet that may still be open

  const auto bit_of = [](std::size_t packet) { return std::uint64_t{1} << (packet % window); };
  const auto forget = [&](std::size_t packet) {  // its bit is needed for a new packet
    const OrderedPacket& closed = packets[packet];
    for (int lane = 0; lane < 4; ++lane) {
      member_[at(closed.line_a[lane])] &= ~bit_of(packet);
      member_[at(closed.line_b[lane])] &= ~bit_of(packet);
    }
  };
  const auto open_packet = [&] {
    const std::size_t packet = packets.size();
    if (packet >= window) {
      forget(packet - window);
      oldest = std::max(oldest, packet - window + 1);
    }
    OrderedPacket& fresh = packets.emplace_back();
    for (int lane = 0; lane < 4; ++lane) {
      fresh.line_a[lane] = fixed_line;
      fresh.line_b[lane] = fixed_line + 1;
    }
    filled[packet % window] = 0;
    open |= bit_of(packet);
  };

  for (const int contact : list) {
    const Link& pair = contact_bodies_[at(contact)];
    const int a = lane_line(pair.a, fixed_line, block);
    const int b = lane_line(pair.b, fixed_line, block);
    std::uint64_t candidates = 0;
    while (true) {
      const std::uint64_t in = member_[at(a)] | member_[at(b)];
      const std::uint64_t barred = in | std::rotl(in, 1) | std::rotr(in, 1);
      candidates = std::rotr(open & ~barred, static_cast<int>(oldest % window));
      if (candidates != 0) break;
      open_packet();
    }
    const std::size_t packet = oldest + at(std::countr_zero(candidates));
    OrderedPacket& chosen = packets[packet];
    int& lanes = filled[packet % window];
    chosen.contact[lanes] = contact;
    chosen.line_a[lanes] = a;
    chosen.line_b[lanes] = b;
    if (a != fixed_line) member_[at(a)] |= bit_of(packet);
    if (b != fixed_line) member_[at(b)] |= bit_of(packet);
    if (++lanes == 4) {
      open &= ~bit_of(packet);
      while (oldest < packets.size() && (open & bit_of(oldest)) == 0) ++oldest;
    }
  }
  const std::size_t count = packets.size();
  for (std::size_t packet = count < window ? 0 : count - window; packet < count; ++packet) {
    forget(packet);
  }
  std::erase_if(packets, [](const OrderedPacket& packet) { return packet.contact[0] < 0; });
}

// Contacts alone on their bodies, put together in blocks although each is an island.
void SweepOrder::order_single_contacts() {
  const std::span<const int> single = by_home_.with_key(at(homes_));
  if (single.empty()) return;
  constexpr std::size_t block_contacts = 512;
  Island island;
  island.one_pass = true;
  island.contacts = single.size();
  island.lines.first = line_body_.size();
  island.packets.first = packets_.size();
  island.rows = island.rows_between = {rows_.size(), rows_.size()};
  island.blocks.first = blocks_.size();
  island.phases = {phases_.size(), phases_.size()};
  island.pieces = {pieces_.size(), pieces_.size()};
  island.hubs = {hubs_.size(), hubs_.size()};
  const auto add_line = [&](int body) {
    line_body_.push_back(body);
    line_share_.push_back(1.0);
    return static_cast<int>(line_body_.size()) - 1;
  };
  for (std::size_t first = 0; first < single.size(); first += block_contacts) {
    Block block;
    block.rows = island.rows;
    block.packets.first = packets_.size();
    block.lines.first = line_body_.size();
    const int fixed_line = add_line(no_motion), idle_line = add_line(no_contact);
    const std::size_t last = std::min(first + block_contacts, single.size());
    for (std::size_t k = first; k < last; k += 4) {
      OrderedPacket& packet = packets_.emplace_back();
      for (std::size_t lane = 0; lane < 4; ++lane) {
        packet.line_a[lane] = fixed_line;
        packet.line_b[lane] = idle_line;
        if (k + lane >= last) continue;
        const int contact = single[k + lane];
        const Link& pair = contact_bodies_[at(contact)];
        packet.contact[lane] = contact;
        packet.line_a[lane] = pair.a < 0 ? fixed_line : add_line(pair.a);
        packet.line_b[lane] = pair.b < 0 ? fixed_line : add_line(pair.b);
      }
    }
    block.packets.last = packets_.size();
    block.lines.last = line_body_.size();
    blocks_.push_back(block);
  }
  island.lines.last = line_body_.size();
  island.packets.last = packets_.size();
  island.blocks.last = blocks_.size();
  islands_.push_back(island);
}

}  // namespace talus
