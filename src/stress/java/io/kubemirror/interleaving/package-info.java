/** Explores the interleavings of concurrent operations. */
@NullMarked
package io.kubemirror.interleaving;

import org.jspecify.annotations.NullMarked;
