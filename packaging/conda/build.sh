#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Called by conda-build in the sources, with PREFIX, SP_DIR, PYTHON and CPU_COUNT set.
set -euo pipefail
# shellcheck disable=SC2086
cmake -S . -B "${TALUS_BUILD:-build-conda}" -G Ninja ${CMAKE_ARGS:-} -DCMAKE_BUILD_TYPE=Release -DCMAKE_UNITY_BUILD=ON -DTALUS_TESTS=OFF \
  -DTALUS_PYTHON=ON -DPython3_EXECUTABLE="$PYTHON" -DTALUS_PYTHON_DIR="$SP_DIR"
cmake --build "${TALUS_BUILD:-build-conda}" --parallel "$CPU_COUNT" --target talus talus_package
cmake --install "${TALUS_BUILD:-build-conda}" --prefix "$PREFIX"
