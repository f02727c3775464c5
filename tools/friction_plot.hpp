// The friction bound along a motion or over a parameter, as a picture [BBB16, Figs. 1c, 2b].
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace talus {

struct PlottedBound {
  double x = 0;
  double bound = 0;     // below which all is well; may be infinite
  double friction = 0;  // that there is
};

// Throws InputError when the file cannot be written.
void write_bound_plot(const std::filesystem::path& path, const std::string& axis,
                      const std::vector<PlottedBound>& curve);

}  // namespace talus
