/** The adapter for JSON documents in etcd v3: gRPC over the HTTP client of the other adapter. */
@NullMarked
package io.kubemirror.upstream.etcd;

import org.jspecify.annotations.NullMarked;
