/**
 * The HTTP server: filters, limits of connections, TLS, health endpoints, and graceful shutdown.
 */
@NullMarked
package io.kubemirror.api.server;

import org.jspecify.annotations.NullMarked;
