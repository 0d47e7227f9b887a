/** Reads that kubemirror proxies to the API server. */
@NullMarked
package io.kubemirror.api.proxy;

import org.jspecify.annotations.NullMarked;
