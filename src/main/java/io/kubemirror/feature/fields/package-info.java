/** Leaves members out of arriving objects. */
@NullMarked
package io.kubemirror.feature.fields;

import org.jspecify.annotations.NullMarked;
