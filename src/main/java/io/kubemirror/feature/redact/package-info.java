/** Leaves members out of arriving objects, or replaces their values. */
@NullMarked
package io.kubemirror.feature.redact;

import org.jspecify.annotations.NullMarked;
