/** Tests of traces. */
@NullMarked
package io.kubemirror.feature.trace;

import org.jspecify.annotations.NullMarked;
