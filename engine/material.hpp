// What contacts between two materials obey.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace talus {

struct ContactLaw {
  double friction = 0;                // μ ≥ 0
  double restitution = 0;             // ρ ∈ [0, 1], normal
  double tangential_restitution = 0;  // τ ∈ [0, 1]
};

struct Material {
  std::string name;
  double density = 0;  // [kg/m³], [kg/m²] in the plane
};

// Symmetric table of laws over pairs of materials.
class PairTable {
 public:
  explicit PairTable(std::size_t materials = 0)
      : materials_(materials), law_(materials * materials) {}

  const ContactLaw& operator()(int i, int j) const { return law_[index(i, j)]; }
  void set(int i, int j, const ContactLaw& law) { law_[index(i, j)] = law_[index(j, i)] = law; }

 private:
  std::size_t index(int i, int j) const {
    return static_cast<std::size_t>(i) * materials_ + static_cast<std::size_t>(j);
  }

  std::size_t materials_;
  std::vector<ContactLaw> law_;
};

}  // namespace talus
