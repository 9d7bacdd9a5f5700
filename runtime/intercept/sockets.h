// Descriptors with the connections they are ends of.
#pragma once

#include "runtime/intercept/interceptor.h"

namespace bigfoot::rt::intercept {

// Before something goes out through `fd`, after something came in: the descriptor's own order and,
// for a connected socket, the connection's.
void descriptor_releases(const Call& call, int fd);
void descriptor_acquires(const Call& call, int fd);

// The same for the descriptor behind a stream (`FILE*`); streams in memory have none.
void stream_releases(const Call& call, void* stream);
void stream_acquires(const Call& call, void* stream);

void connection_ended(int fd);
void connection_copied(int from, int to);

void watch_sockets();  // part of intercept::initialise()

}  // namespace bigfoot::rt::intercept
