// SPDX-License-Identifier: Apache-2.0
// A world in Python's hands.
#pragma once

#include <atomic>
#include <memory>
#include <stdexcept>
#include <utility>
#include <variant>

#include "engine/world.hpp"

namespace talus {

class WorldHandle {
 public:
  using AnyWorld = std::variant<std::shared_ptr<World<2>>, std::shared_ptr<World<3>>>;

  explicit WorldHandle(AnyWorld world, int threads = 1, bool watched = false)
      : threads_(threads), world_(std::move(world)), watched_(watched) {}

  int threads() const { return threads_; }
  void end_run() { watched_ = false; }

  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit([&](const auto& world) -> decltype(auto) { return f(*world); }, world_);
  }

  // The world, while nobody else steps it.
  class Turn {
   public:
    explicit Turn(WorldHandle& handle) : busy_(handle.busy_) {
      if (handle.watched_)
        throw std::runtime_error("the run that calls this function steps the world");
      if (busy_.exchange(true)) throw std::runtime_error("another thread steps this world");
    }
    ~Turn() { busy_ = false; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    std::atomic<bool>& busy_;
  };

 private:
  const int threads_;
  AnyWorld world_;
  bool watched_;  // a run steps it
  std::atomic<bool> busy_ = false;
};

}  // namespace talus
