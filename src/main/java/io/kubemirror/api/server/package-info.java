/** The HTTP server: filters, connection limits, TLS, health endpoints, and graceful shutdown. */
@NullMarked
package io.kubemirror.api.server;

import org.jspecify.annotations.NullMarked;
