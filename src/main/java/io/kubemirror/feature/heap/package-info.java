/** Keeps the heap near the size of what is alive. */
@NullMarked
package io.kubemirror.feature.heap;

import org.jspecify.annotations.NullMarked;
