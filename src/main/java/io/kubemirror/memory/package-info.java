/** Limits in bytes for all memory that grows with clients, history, or upstream data. */
@NullMarked
package io.kubemirror.memory;

import org.jspecify.annotations.NullMarked;
