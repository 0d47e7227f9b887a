/** Health, metrics, and diagnosis for operators. */
@NullMarked
package io.kubemirror.ops;

import org.jspecify.annotations.NullMarked;
