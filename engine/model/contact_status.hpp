// SPDX-License-Identifier: Apache-2.0
// What a contact does, as the files record it.
#pragma once

#include "engine/model/contact.hpp"

namespace talus {

enum class ContactStatus { no_push = 0, sticking = 1, sliding = 2 };

template <int D>
ContactStatus status_of(const ActiveContact<D>& active) {
  if (!active.presses()) return ContactStatus::no_push;
  return active.slides() ? ContactStatus::sliding : ContactStatus::sticking;
}

}  // namespace talus
