/** The adapter for JSON documents in etcd v3: gRPC over the HTTP client of the other adapter. */
@NullMarked
package io.kubemirror.feature.etcd;

import org.jspecify.annotations.NullMarked;
