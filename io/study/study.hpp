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
  std::optional<std::size_t> repeat;  // the axis of [[repeat]]

  std::size_t size() const;  // cases
  StudyCase at(std::size_t number) const;
  std::vector<std::string> overrides(const StudyCase& one) const;  // as --set
  std::string describe(const StudyCase& one) const;                // mu=0.2 seed=1
};

// Every value of every axis is tested on the scene before the study is accepted. An error is a
// SceneError with its place.
Study read_study(const std::filesystem::path& path);
Study read_study_text(std::string text, const std::filesystem::path& path);

}  // namespace talus
