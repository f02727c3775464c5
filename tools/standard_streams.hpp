// Standard input, output and error as a long run needs them.
#pragma once

namespace talus {

// To be called before anything is opened. Descriptors 0 to 2 that were closed are taken, so that no
// file of a run gets one of them and has messages written into it. From then on standard error
// never fails: what a full disk or a terminal that is gone does not take is dropped.
void prepare_standard_streams();

}  // namespace talus
