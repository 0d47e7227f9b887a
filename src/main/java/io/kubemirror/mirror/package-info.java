/**
 * The present state of a collection and its recent changes: one writer, any number of readers, no
 * Spring, no I/O, no clock.
 */
@NullMarked
package io.kubemirror.mirror;

import org.jspecify.annotations.NullMarked;
