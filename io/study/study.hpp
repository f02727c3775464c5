// SPDX-License-Identifier: Apache-2.0
// A study (TOML): a scene and axes, that is, keys of the scene with their values. Every combination
// is a case.
//
//     scene = "column.toml"              # beside the study
//     set = ["time.end=2"]               # for every case, as --set
//     [[axis]]
//     name = "mu"                        # heading of its summary column; default: the key
//     key = "material.sand.friction"
//     values = [0.2, 0.4, 0.6]
//     [[axis]]
//     key = "time.step"
//     from = 1e-4                        # evenly spaced, ends included
//     to = 5e-4
//     count = 5
//     [[axis]]
//     name = "base"                      # several keys at once
//     values = ["smooth", "rough"]
//     set = [["body.floor.friction=0"], ["body.floor.friction=1", "time.end=3"]]
//     [[repeat]]
//     seeds = 20                         # that often with other seeds of all its random numbers
//     [[bisect]]                         # of every case the value at which its outcome changes
//     key = "body.load.mass"
//     from = 100
//     to = 5000
//     until = "top.displacement > 0.05"  # a column of a measure; ends a run that gets there
//     tolerance = 1
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace talus {

struct StudyAxis {
  std::string name;
  std::vector<std::string> values;                 // as the summary has them
  std::vector<std::vector<std::string>> settings;  // of each value, as --set
};

struct Bisection {
  std::string name, key;
  double from = 0, to = 0, tolerance = 0;
  std::string until;   // as given
  std::string column;  // "measure.column"
  double limit = 0;
  bool above = true;
  std::string stop;  // the setting that ends runs there, beside the stop conditions of the scene

  std::string setting(const std::string& value) const;  // of the key, as --set
};

struct StudyCase {
  std::size_t number = 1;           // from 1; the last axis varies fastest
  std::vector<std::string> values;  // one per axis
  std::size_t trial = 0;            // of a bisection its run, from 1
  std::string trial_value;          // of the key that is bisected

  std::string folder() const;  // case-0001, or case-0001/run-01
};

struct Study {
  std::string path;             // as given
  std::string text;             // of the file, verbatim
  std::filesystem::path scene;  // the base scene
  std::vector<std::string> set;
  std::vector<StudyAxis> axes;
  std::optional<std::size_t> repeat;  // the axis of [[repeat]]
  std::optional<Bisection> bisection;

  std::size_t size() const;  // cases
  StudyCase at(std::size_t number) const;
  std::vector<std::string> overrides(const StudyCase& one) const;  // as --set
  std::string describe(const StudyCase& one) const;                // mu=0.2 seed=1
};

// Shortest text of a number. Integers stay integers, as seeds and counts must.
std::string number_text(double x);

// Every value of every axis, and both ends of a bisection and its middle, are tested on the scene
// before the study is accepted. An error is a SceneError with its place.
Study read_study(const std::filesystem::path& path);
Study read_study_text(std::string text, const std::filesystem::path& path);

}  // namespace talus
