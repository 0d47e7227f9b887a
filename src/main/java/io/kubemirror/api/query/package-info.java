/** Sorted lists and counts. */
@NullMarked
package io.kubemirror.api.query;

import org.jspecify.annotations.NullMarked;
