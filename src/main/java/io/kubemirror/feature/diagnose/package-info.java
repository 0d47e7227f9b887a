/** Health, metrics, and diagnosis for operators. */
@NullMarked
package io.kubemirror.feature.diagnose;

import org.jspecify.annotations.NullMarked;
