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
//     key = "column.0.seed"
//     from = 1                           # evenly spaced, ends included
//     to = 5
//     count = 5
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace talus {

struct StudyAxis {
  std::string name, key;
  std::vector<std::string> values;  // as TOML text
};

struct StudyCase {
  std::size_t number = 1;           // from 1; the last axis varies fastest
  std::vector<std::string> values;  // one per axis

  std::string folder() const;  // case-0001
};

struct Study {
  std::string path;             // as given
  std::string text;             // of the file, verbatim
  std::filesystem::path scene;  // the base scene
  std::vector<std::string> set;
  std::vector<StudyAxis> axes;

  std::size_t size() const;  // cases
  StudyCase at(std::size_t number) const;
  std::vector<std::string> overrides(const StudyCase& one) const;  // as --set
  std::string describe(const StudyCase& one) const;                // mu=0.2 seed=1
};

// Every value of every axis is tested on the scene before the study is accepted. An error is a
// SceneError with its place.
Study read_study(const std::filesystem::path& path);

}  // namespace talus
