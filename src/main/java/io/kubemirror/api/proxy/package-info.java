/** Reads that the upstream API server answers itself. */
@NullMarked
package io.kubemirror.api.proxy;

import org.jspecify.annotations.NullMarked;
