/** Traces of changes, from their arrival to their delivery. */
@NullMarked
package io.kubemirror.feature.trace;

import org.jspecify.annotations.NullMarked;
