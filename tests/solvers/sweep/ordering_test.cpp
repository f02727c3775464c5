// SPDX-License-Identifier: Apache-2.0
#include "solvers/sweep/ordering.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "solvers/math/disjoint_sets.hpp"
#include "solvers/math/parallel.hpp"

using namespace talus;

namespace {

struct Graph {
  int bodies;
  std::vector<Link> contacts, rows;

  std::vector<int> root_of_body() const {
    DisjointSets sets;
    sets.reset(static_cast<std::size_t>(bodies));
    for (const std::vector<Link>* links : {&contacts, &rows})
      for (const auto [a, b] : *links)
        if (a >= 0 && b >= 0) sets.join(a, b);
    sets.settle();
    return sets.sets();
  }
};

Graph random_graph(int bodies, int contacts, int reach, int rows, int hub, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> body(0, bodies - 1), offset(1, reach);
  Graph graph{bodies, {}, {}};
  const auto pair = [&](int k) {
    Link p{body(random), -1};
    p.b = p.a + offset(random);
    if (p.b >= bodies) p.b = -1;
    if (hub >= 0 && k % 2 == 0 && p.a != hub) p.b = hub;
    if (k % 11 == 0) p.a = -1;
    return p;
  };
  for (int k = 0; k < contacts; ++k) graph.contacts.push_back(pair(k));
  for (int k = 0; k < rows; ++k) graph.rows.push_back(pair(k));
  return graph;
}

// What every order must be, whatever the graph.
void check_order(const Graph& graph, const SweepOrder& order) {
  const auto body_of = [&](int line) { return order.line_body()[static_cast<std::size_t>(line)]; };
  std::vector<int> seen(graph.contacts.size(), 0), rows_seen(graph.rows.size(), 0);
  for (const OrderedPacket& packet : order.packets()) {
    std::set<int> moved;
    for (int lane = 0; lane < 4; ++lane) {
      const int lines[2] = {packet.line_a[lane], packet.line_b[lane]};
      if (packet.contact[lane] < 0) {
        CHECK(body_of(lines[0]) == SweepOrder::no_motion);
        CHECK(body_of(lines[1]) == SweepOrder::no_contact);
        continue;
      }
      const Link& pair = graph.contacts[static_cast<std::size_t>(packet.contact[lane])];
      ++seen[static_cast<std::size_t>(packet.contact[lane])];
      CHECK(body_of(lines[0]) == std::max(pair.a, -1));
      CHECK(body_of(lines[1]) == std::max(pair.b, -1));
      for (const int line : lines) {
        if (body_of(line) >= 0) CHECK(moved.insert(line).second);
      }
    }
  }
  for (const OrderedRow& row : order.rows()) {
    const Link& pair = graph.rows[static_cast<std::size_t>(row.row)];
    ++rows_seen[static_cast<std::size_t>(row.row)];
    CHECK(body_of(row.line_a) == std::max(pair.a, -1));
    CHECK(body_of(row.line_b) == std::max(pair.b, -1));
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const bool moves = graph.contacts[i].a >= 0 || graph.contacts[i].b >= 0;
    CHECK(seen[i] == (moves ? 1 : 0));
  }
  for (std::size_t i = 0; i < rows_seen.size(); ++i) {
    CHECK(rows_seen[i] == (graph.rows[i].a >= 0 || graph.rows[i].b >= 0 ? 1 : 0));
  }

  // No line is touched by two blocks, nor by two pieces of a phase; islands share no line.
  std::set<int> island_lines;
  for (const Island& island : order.islands()) {
    std::set<int> lines_of_blocks;
    std::size_t packets = 0;
    for (std::size_t b = island.blocks.first; b < island.blocks.last; ++b) {
      const Block& block = order.blocks()[b];
      std::set<int> lines;
      for (std::size_t k = block.packets.first; k < block.packets.last; ++k) {
        for (int lane = 0; lane < 4; ++lane) {
          lines.insert(order.packets()[k].line_a[lane]);
          lines.insert(order.packets()[k].line_b[lane]);
        }
      }
      for (std::size_t k = block.rows.first; k < block.rows.last; ++k) {
        lines.insert(order.rows()[k].line_a);
        lines.insert(order.rows()[k].line_b);
      }
      for (const int line : lines) CHECK(lines_of_blocks.insert(line).second);
      packets += block.packets.size();
    }
    std::set<int> lines_of_island = lines_of_blocks;
    for (std::size_t i = island.phases.first; i < island.phases.last; ++i) {
      std::set<int> lines_of_phase;
      const Range phase = order.phases()[i];
      for (const Range& piece : order.pieces().subspan(phase.first, phase.size())) {
        std::set<int> lines;
        for (std::size_t k = piece.first; k < piece.last; ++k) {
          for (int lane = 0; lane < 4; ++lane) {
            lines.insert(order.packets()[k].line_a[lane]);
            lines.insert(order.packets()[k].line_b[lane]);
          }
        }
        packets += piece.size();
        for (const int line : lines) CHECK(lines_of_phase.insert(line).second);
      }
      lines_of_island.insert(lines_of_phase.begin(), lines_of_phase.end());
    }
    CHECK(packets == island.packets.size());
    for (const int line : lines_of_island) CHECK(island_lines.insert(line).second);
  }
  for (const Hub& hub : order.hubs()) {
    double shares = 0;
    for (std::size_t c = hub.copies.first; c < hub.copies.last; ++c) {
      shares += order.copies()[c].share;
      CHECK(body_of(order.copies()[c].line) == body_of(hub.line));
    }
    CHECK(shares == doctest::Approx(1).epsilon(1e-14));
  }
}

bool same_order(const SweepOrder& a, const SweepOrder& b) {
  const auto same_packet = [](const OrderedPacket& p, const OrderedPacket& q) {
    return std::ranges::equal(p.contact, q.contact) && std::ranges::equal(p.line_a, q.line_a) &&
           std::ranges::equal(p.line_b, q.line_b);
  };
  const auto same_range = [](const Range& p, const Range& q) {
    return p.first == q.first && p.last == q.last;
  };
  const auto same_island = [&](const Island& p, const Island& q) {
    return same_range(p.lines, q.lines) && same_range(p.packets, q.packets) &&
           same_range(p.blocks, q.blocks) && same_range(p.phases, q.phases) &&
           same_range(p.hubs, q.hubs) && same_range(p.rows_between, q.rows_between) &&
           p.contacts == q.contacts && p.one_pass == q.one_pass;
  };
  const auto same_block = [&](const Block& p, const Block& q) {
    return same_range(p.packets, q.packets) && same_range(p.rows, q.rows) &&
           same_range(p.lines, q.lines);
  };
  const auto same_row = [](const OrderedRow& p, const OrderedRow& q) {
    return p.row == q.row && p.line_a == q.line_a && p.line_b == q.line_b;
  };
  const auto same_hub = [&](const Hub& p, const Hub& q) {
    return p.line == q.line && same_range(p.copies, q.copies);
  };
  return std::ranges::equal(a.line_body(), b.line_body()) &&
         std::ranges::equal(a.line_share(), b.line_share()) &&
         std::ranges::equal(a.islands(), b.islands(), same_island) &&
         std::ranges::equal(a.blocks(), b.blocks(), same_block) &&
         std::ranges::equal(a.rows(), b.rows(), same_row) &&
         std::ranges::equal(a.hubs(), b.hubs(), same_hub) &&
         std::ranges::equal(a.packets(), b.packets(), same_packet) &&
         std::ranges::equal(a.phases(), b.phases(), same_range) &&
         std::ranges::equal(a.pieces(), b.pieces(), same_range);
}

}  // namespace

TEST_CASE("every contact is visited once and no two at a time move the same body") {
  struct Given {
    int bodies, contacts, reach, rows, hub;
  };
  for (const Given& given :
       {Given{10, 20, 3, 4, -1}, Given{500, 1500, 20, 30, -1}, Given{5000, 15000, 100, 60, -1},
        Given{5000, 15000, 5000, 60, -1}, Given{5000, 15000, 50, 60, 2500},
        Given{900, 3000, 40, 0, 3}, Given{4000, 1000, 2, 100, -1},
        Given{12000, 30000, 12000, 0, 70}, Given{40000, 90000, 2500, 40, -1}}) {
    const int bodies = given.bodies, hub = given.hub;
    CAPTURE(bodies);
    CAPTURE(hub);
    const Graph graph = random_graph(bodies, given.contacts, given.reach, given.rows, hub, 3);
    SweepOrder order;
    order.build(graph.root_of_body(), graph.contacts, graph.rows, {});
    check_order(graph, order);
    std::vector<int> permutation(static_cast<std::size_t>(bodies));
    for (int i = 0; i < bodies; ++i) permutation[static_cast<std::size_t>(i)] = i;
    std::shuffle(permutation.begin(), permutation.end(), std::mt19937(1));
    order.build(graph.root_of_body(), graph.contacts, graph.rows, permutation);
    check_order(graph, order);
    if (hub == 2500) CHECK(order.hubs().size() == 1);
  }
}

TEST_CASE("islands are the bodies that contacts and rows tie together") {
  // 0–1–2 by contacts, 3–4 by a row, 5 on the floor twice, 6–7 alone, 8 on the floor once.
  const Graph graph{9, {{0, 1}, {2, 1}, {-1, 5}, {5, -1}, {6, 7}, {-1, 8}, {-1, -1}}, {{3, 4}}};
  SweepOrder order;
  order.build(graph.root_of_body(), graph.contacts, graph.rows, {});
  check_order(graph, order);
  CHECK(order.islands().size() == 4);
  const auto one_pass = std::count_if(order.islands().begin(), order.islands().end(),
                                      [](const Island& island) { return island.one_pass; });
  CHECK(one_pass == 1);
}

TEST_CASE("packets of a grid of bodies are nearly full") {
  // 40 × 40 × 3 bodies, each touching the next along three axes.
  Graph graph{4800, {}, {}};
  for (int i = 0; i < 4800; ++i) {
    if (i % 40 < 39) graph.contacts.push_back({i, i + 1});
    if (i / 40 % 40 < 39) graph.contacts.push_back({i, i + 40});
    if (i / 1600 < 2) graph.contacts.push_back({i, i + 1600});
  }
  SweepOrder order;
  order.build(graph.root_of_body(), graph.contacts, {}, {});
  check_order(graph, order);
  const double lanes = 4.0 * static_cast<double>(order.packets().size());
  CHECK(static_cast<double>(graph.contacts.size()) / lanes > 0.97);
}

TEST_CASE("an order that has served before is that of a new one") {
  const Graph graph = random_graph(3000, 9000, 40, 20, -1, 5);
  std::vector<int> backwards(3000);
  for (int i = 0; i < 3000; ++i) backwards[static_cast<std::size_t>(i)] = 2999 - i;
  Graph other = graph;
  std::swap(other.contacts[17], other.contacts[18]);
  Graph tied = graph;
  tied.rows[3] = {0, 2999};

  SweepOrder used;
  const auto check = [&](const Graph& given, std::span<const int> body_order) {
    SweepOrder fresh;
    const std::vector<int> roots = given.root_of_body();
    fresh.build(roots, given.contacts, given.rows, body_order);
    used.build(roots, given.contacts, given.rows, body_order);
    CHECK(same_order(used, fresh));
    return fresh;
  };
  const SweepOrder first = check(graph, {});
  check(graph, {});
  CHECK_FALSE(same_order(first, check(other, {})));
  CHECK_FALSE(same_order(first, check(graph, backwards)));
  check(tied, {});
  check(graph, {});
}

TEST_CASE("the order is the same for any number of threads") {
  // Large islands without a hub and two with one, several of middling size and many small ones.
  Graph graph = random_graph(40000, 90000, 15000, 500, -1, 7);
  const auto add = [&](const Graph& more) {
    const auto moved = [&](int body) { return body < 0 ? body : body + graph.bodies; };
    for (const Link& pair : more.contacts) graph.contacts.push_back({moved(pair.a), moved(pair.b)});
    for (const Link& pair : more.rows) graph.rows.push_back({moved(pair.a), moved(pair.b)});
    graph.bodies += more.bodies;
  };
  add(random_graph(30000, 20000, 2, 100, -1, 8));
  add(random_graph(5000, 15000, 50, 60, 2500, 9));
  add(random_graph(3000, 9000, 3000, 10, 7, 10));
  const auto build = [&](int count) {
    set_threads(count);
    SweepOrder order;
    parallel_team([&] { order.build(graph.root_of_body(), graph.contacts, graph.rows, {}); });
    set_threads(1);
    return order;
  };
  const SweepOrder one = build(1);
  check_order(graph, one);
  CHECK(one.islands().size() > 1000);
  CHECK(one.phases().size() > 10);
  CHECK(one.hubs().size() == 2);
  for (const int count : {2, 3, 5}) CHECK(same_order(one, build(count)));
}
