// SPDX-License-Identifier: Apache-2.0
// `talus limit --sweep`: the limit load as a function of keys of the scene.
#pragma once

#include <cstdio>
#include <limits>
#include <string>
#include <vector>

namespace talus {

struct SweptKey {
  std::string key;
  std::vector<std::string> values;
};

// KEY=FROM:TO:COUNT, evenly spaced with both ends, or KEY=VALUE,VALUE,… Throws InputError for
// anything else.
SweptKey parse_swept_key(const std::string& text);

// The k-th combination of all values, the last key fastest.
std::vector<std::string> combination(const std::vector<SweptKey>& keys, std::size_t k);
std::size_t combinations(const std::vector<SweptKey>& keys);

// One of them. NaN where there is no such number.
struct SweptLimit {
  std::vector<std::string> values;
  std::string outcome;
  double largest = std::numeric_limits<double>::quiet_NaN(), dual = largest;
  double stood = largest, gave_way = largest;  // in runs
  std::string json;                            // of talus limit --json
};

// Columns of the table: the keys, outcome, `quantity` and its dual, and with runs their interval.
struct SweepTable {
  std::vector<SweptKey> keys;
  std::string quantity;  // lambda_static, or pressing_least
  bool runs = false;
  std::vector<SweptLimit> rows;

  std::string csv() const;
  std::string json() const;
};
// Prints a line of the table; its head before the first.
void print_row(std::FILE* out, const SweepTable& table, std::size_t row);

}  // namespace talus
