// SPDX-License-Identifier: Apache-2.0
// Prepares standard input, output and error for long runs.
#pragma once

namespace talus {

// Call it before any file is opened. Closed descriptors 0 to 2 are opened, so that no file of a run
// gets one of them and receives messages. From then on writing to standard error never fails: text
// that a full disk or a closed terminal does not accept is dropped.
void prepare_standard_streams();

}  // namespace talus
