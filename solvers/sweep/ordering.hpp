// SPDX-License-Identifier: Apache-2.0
// The order in which a sweep visits contacts, as data: whatever the number of threads, the same
// contacts are solved one after the other, so the result is the same.
//
//   island   bodies tied together by contacts and rows; islands never feel each other
//   block    up to 1024 bodies of an island that follow each other in the body order; blocks of an
//            island are swept side by side
//   packet   four contacts that share no moving body, solved together
//   seam     contacts between the two halves of a row of blocks. The blocks of an island are
//            halved, each half again, and so on; seams at one depth share no moving body and are
//            swept side by side, the deepest first, so that a thread goes on with bodies it has at
//            hand. The few long seams high up are swept in several phases, each in pieces that
//            share no moving body.
//   hub      a moving body with very many contacts in other blocks. It gets a copy in every block
//            it touches, with a share of the mass in proportion to its contacts there; after the
//            blocks the copies are merged by the mass-weighted mean, which is v = M⁻¹H p again.
//
// Where a body's numbers are kept is a *line*. Each block has two more lines: one stands for bodies
// that never move, one for the lanes of a packet that hold no contact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/math/counting_sort.hpp"

namespace talus {

struct Link {
  int a = -1, b = -1;  // −1: a body that never moves

  bool operator==(const Link&) const = default;
};

struct OrderedPacket {
  int contact[4] = {-1, -1, -1, -1};  // −1: no contact in this lane
  int line_a[4], line_b[4];
};

struct OrderedRow {
  int row, line_a, line_b;
};

struct Range {
  std::size_t first = 0, last = 0;
  std::size_t size() const { return last - first; }
};

struct HubCopy {
  int line;
  double share;  // of the body's mass; the shares of a hub add up to one
};

struct Hub {
  int line;  // of the merged body
  Range copies;
};

struct Block {
  Range packets, rows;
  Range lines;  // of its own bodies; copies of hubs lie elsewhere
};

struct Island {
  Range lines;
  Range packets;  // of all blocks, then of all phases
  Range rows;     // of all blocks, then those between blocks
  Range rows_between;
  Range blocks, phases, pieces, hubs;
  std::size_t contacts = 0;
  bool one_pass = false;  // contacts that touch nothing else: one sweep solves them
};

// An island's stretch of the percussions: contacts in groups of four, one component after the
// other, then scalar rows in groups of four. Each group has four weights.
struct PercussionGroups {
  int components = 0;  // of a contact
  std::size_t first = 0, first_weight = 0;
  std::size_t contacts = 0, rows = 0;  // groups

  std::size_t first_row() const {
    return first + 4 * static_cast<std::size_t>(components) * contacts;
  }
  Range numbers() const { return {first, first_row() + 4 * rows}; }
};

class SweepOrder {
 public:
  static constexpr int block_bodies = 1024;
  static constexpr int no_motion = -1, no_contact = -2;  // in line_body()

  // root_of_body: the first body of every body's island (islands.hpp). body_order: a permutation of
  // the bodies in which neighbours in space are near each other, or empty for the order of their
  // numbers. Contacts and rows that move nothing are left out. What is given again, as by a heap at
  // rest, finds its order still there.
  void build(std::span<const int> root_of_body, std::span<const Link> contacts,
             std::span<const Link> rows, std::span<const int> body_order);

  std::span<const Island> islands() const { return islands_; }
  std::span<const Block> blocks() const { return blocks_; }
  // What follows the blocks, one phase after the other, each in pieces that are swept side by side:
  // pieces of all seams as Seams numbers them, some without packets.
  std::span<const Range> phases() const { return phases_; }  // pieces of each
  std::span<const Range> pieces() const { return pieces_; }  // packets of each
  std::span<const OrderedPacket> packets() const { return packets_; }
  std::span<const OrderedRow> rows() const { return rows_; }
  std::span<const Hub> hubs() const { return hubs_; }
  std::span<const HubCopy> copies() const { return copies_; }

  // Body of each line; a copy of a hub has the body of the hub and its share of the mass.
  std::span<const int> line_body() const { return line_body_; }
  std::span<const double> line_share() const { return line_share_; }

 private:
  // An island while it is being put in order.
  struct Growing {
    int bodies = 0, contacts = 0, rows = 0;
    int block_size = 0;  // bodies
    int first_line = 0, first_home = 0;
    std::size_t first_row = 0;  // in row_keys_

    int block_of(int line) const { return (line - first_line) / (block_size + 2); }
    int fixed_line(int block) const;
    int blocks() const { return (bodies + block_size - 1) / block_size; }
    int homes() const;  // blocks and pieces of seams
  };

  void count_by_island(std::size_t bodies);
  void count_contacts(std::size_t bodies);
  void place_bodies(std::size_t bodies);
  void sort_contacts();
  void sort_by_home();
  void sort_rows();
  void order_island(const Growing& growing);
  bool find_hubs(const Growing& growing, Island& island);
  std::span<const int> contacts_of(const Growing& growing) const;
  std::span<const int> contacts_at(const Growing& growing, int home) const;
  void order_seams(const Growing& growing);
  void fill_packets(std::span<const int> list, int fixed_line, int block,
                    std::vector<OrderedPacket>& packets);
  void order_single_contacts();

  int island_of(const Link& pair) const;
  int line_of(int body) const;  // −1 for a body that never moves
  bool is_hub(int line) const {
    return has_hubs_ && line >= 0 && degree_[static_cast<std::size_t>(line)] < 0;
  }
  int home_of(const Growing& growing, Link pair) const;
  int lane_line(int body, int fixed_line, int block) const;

  // The order itself.
  std::vector<Island> islands_;
  std::vector<Block> blocks_;
  std::vector<Range> phases_, pieces_;
  std::vector<OrderedPacket> packets_;
  std::vector<OrderedRow> rows_;
  std::vector<Hub> hubs_;
  std::vector<HubCopy> copies_;
  std::vector<int> line_body_;
  std::vector<double> line_share_;

  // What it was built from.
  std::size_t bodies_ = 0;
  std::vector<Link> contact_bodies_, row_bodies_;
  std::vector<int> body_order_;

  // Workspace, kept so that a warm build allocates nothing.
  CountingSort by_body_;
  std::vector<int> contacts_of_body_;  // and rows
  bool hubs_possible_ = false;
  std::vector<int> root_of_body_;  // the first body of its island
  std::vector<int> contacts_of_root_, rows_of_root_, island_of_root_;
  // By place in the body order: the island, before that its root, and the place within it.
  std::vector<int> island_at_, rank_at_;
  std::vector<int> line_of_body_;
  std::vector<Growing> growing_;
  std::vector<int> owner_;               // line that a contact is listed with
  std::vector<int> home_;                // of a contact: block or piece, of all islands
  CountingSort by_owner_, by_home_;      // contacts; the second ordered by owner within a home
  CountingSort around_hubs_;             // as by_home_, of the island being put in order
  int homes_ = 0;                        // contacts alone on their bodies are behind the last
  std::vector<std::uint64_t> row_keys_;  // island, row; then home, row
  std::vector<std::vector<OrderedPacket>> filled_;  // packets by block or piece
  std::vector<std::uint64_t> member_;               // by line: open packets it is in
  bool has_hubs_ = false;                           // the island being put in order
  std::vector<int> degree_;              // by line: contacts with other blocks; −1 for a hub
  std::vector<std::uint64_t> hub_keys_;  // line, block: of every copy, sorted
  std::vector<int> hub_lines_;           // line of every copy
};

}  // namespace talus
