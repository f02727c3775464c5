// SPDX-License-Identifier: Apache-2.0
// Words of a text file that a scene names, with the lines they are on, for messages.
#pragma once

#include <string>
#include <string_view>

namespace talus {

class FileWords {
 public:
  FileWords(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  std::string_view next();          // empty at the end of the text
  std::string_view next_in_line();  // empty at the end of the line
  void skip_line();
  bool at_end();

  // A finite number; `what` is "a coordinate".
  double number(std::string_view word, std::string_view what) const;

  [[noreturn]] void fail(std::string_view what) const;        // at the line of the last word
  [[noreturn]] void fail_whole(std::string_view what) const;  // at the file

 private:
  void skip(std::string_view blanks);
  std::string_view take();

  std::string_view rest_;
  const std::string& name_;
  int line_ = 1;
};

std::string lower_case(std::string_view word);

}  // namespace talus
