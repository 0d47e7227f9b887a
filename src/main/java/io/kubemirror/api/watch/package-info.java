/** Watches: how they start, what they send, and when they end. */
@NullMarked
package io.kubemirror.api.watch;

import org.jspecify.annotations.NullMarked;
