// SPDX-License-Identifier: Apache-2.0
#include "io/trajectory/checkpoint.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>

#include "io/hdf5/hdf5_data.hpp"
#include "io/hdf5/trial.hpp"
#include "io/text/input_error.hpp"
#include "io/text/new_file.hpp"
#include "io/trajectory/run_names.hpp"
#include "io/trajectory/stored_state.hpp"

namespace talus {

namespace {

using hdf5::Failure;
using hdf5::Handle;

constexpr std::array<std::string_view, 2> slots = {"A", "B"};

std::filesystem::path checkpoint_path(const std::filesystem::path& run, std::string_view slot) {
  return beside_run(run, fmt::format("ckpt.{}.h5", slot));
}

template <int D>
void write_file(const std::filesystem::path& path, const WorldState<D>& state,
                std::uint64_t scene) {
  hdf5::UnusedSpace unused_space;
  const Handle file = hdf5::create_file(path);
  unused_space.watch(file);
  hdf5::reserve(file, stored_bytes<D>(state));
  write_state<D>(file, state, scene);
  hdf5::synchronise(file);
}

template <int D>
WorldState<D> read_file(const std::filesystem::path& path, std::uint64_t scene_id,
                        const Scene<D>& scene) {
  return read_state<D>(hdf5::open_file(path, hdf5::Access::read), scene_id, scene);
}

// Step of a checkpoint; empty if it does not exist or cannot be opened.
std::optional<std::int64_t> step_in(const std::filesystem::path& path) try {
  const auto step = [&] { return stored_steps(hdf5::open_file(path, hdf5::Access::read)); };
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored) || !survives(path, step)) return std::nullopt;
  return step();
} catch (const Failure&) {
  return std::nullopt;
}

}  // namespace

template <int D>
void write_checkpoint(const std::filesystem::path& run, const WorldState<D>& state,
                      std::uint64_t scene) {
  const Hdf5Silence silence;
  std::filesystem::path target = checkpoint_path(run, slots[0]);
  const auto step_a = step_in(target), step_b = step_in(checkpoint_path(run, slots[1]));
  if (step_a && (!step_b || *step_b < *step_a)) target = checkpoint_path(run, slots[1]);
  try {
    NewFile whole(target);
    write_file<D>(whole.unfinished(), state, scene);
    whole.put_in_place(Existing::replace);
  } catch (const Failure& failure) {
    throw std::runtime_error(fmt::format("{}: cannot write: {}", target.string(), failure.what()));
  } catch (const InputError& error) {  // not caused by the user
    throw std::runtime_error(error.what());
  }
  synchronise_folder_of(target);
}

template <int D>
WorldState<D> read_checkpoint(const std::filesystem::path& run, std::uint64_t scene_id,
                              const Scene<D>& scene) {
  const Hdf5Silence silence;
  std::optional<WorldState<D>> best;
  std::string complaint;
  for (std::string_view slot : slots) {
    const std::filesystem::path path = checkpoint_path(run, slot);
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) continue;
    try {
      if (!survives(path, [&] { read_file<D>(path, scene_id, scene); }))
        throw Failure("damaged so that HDF5 cannot read it");
      WorldState<D> stored = read_file<D>(path, scene_id, scene);
      if (!best || stored.steps > best->steps) best = std::move(stored);
    } catch (const Failure& failure) {
      complaint = fmt::format("{}: {}", path.string(), failure.what());
    }
  }
  if (best) return std::move(*best);
  if (!complaint.empty()) throw InputError(complaint);
  throw InputError(fmt::format("{}: there is no checkpoint to go on from", run.string()));
}

namespace {

// A state that is kept in the file of a run.
template <int D>
WorldState<D> read_kept_state(const std::filesystem::path& run, const char* group,
                              std::uint64_t scene_id, const Scene<D>& scene) {
  const Hdf5Silence silence;
  const auto read = [&] {
    const Handle file = hdf5::open_file(run, hdf5::Access::read);
    if (!hdf5::exists(file, group)) throw Failure("keeps no state to go on from");
    const Handle place(H5Gopen2(file, group, H5P_DEFAULT), std::string("open ") + group);
    return read_state<D>(place, scene_id, scene);
  };
  try {
    if (!survives(run, read)) throw Failure("damaged so that HDF5 cannot read it");
    return read();
  } catch (const Failure& failure) {
    throw InputError(fmt::format("{}: {}", run.string(), failure.what()));
  }
}

}  // namespace

template <int D>
WorldState<D> read_end_state(const std::filesystem::path& run, std::uint64_t scene_id,
                             const Scene<D>& scene) {
  return read_kept_state<D>(run, end_state_path, scene_id, scene);
}

template <int D>
WorldState<D> read_start_state(const std::filesystem::path& run, std::uint64_t scene_id,
                               const Scene<D>& scene) {
  return read_kept_state<D>(run, start_state_path, scene_id, scene);
}

std::array<std::filesystem::path, 2> checkpoint_paths(const std::filesystem::path& run) {
  return {checkpoint_path(run, slots[0]), checkpoint_path(run, slots[1])};
}

bool has_checkpoint(const std::filesystem::path& run) {
  std::error_code ignored;
  const auto paths = checkpoint_paths(run);
  return std::any_of(paths.begin(), paths.end(), [&](const std::filesystem::path& path) {
    return std::filesystem::exists(path, ignored);
  });
}

void remove_checkpoints(const std::filesystem::path& run) {
  std::error_code ignored;
  for (std::string_view slot : slots) std::filesystem::remove(checkpoint_path(run, slot), ignored);
  remove_unfinished_checkpoints(run);
}

void remove_unfinished_checkpoints(const std::filesystem::path& run) {
  for (std::string_view slot : slots) remove_unfinished(checkpoint_path(run, slot));
}

#define TALUS_INSTANTIATE(D)                                                              \
  template void write_checkpoint<D>(const std::filesystem::path&, const WorldState<D>&,   \
                                    std::uint64_t);                                       \
  template WorldState<D> read_checkpoint<D>(const std::filesystem::path&, std::uint64_t,  \
                                            const Scene<D>&);                             \
  template WorldState<D> read_end_state<D>(const std::filesystem::path&, std::uint64_t,   \
                                           const Scene<D>&);                              \
  template WorldState<D> read_start_state<D>(const std::filesystem::path&, std::uint64_t, \
                                             const Scene<D>&);
TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
