/**
 * Real API servers ({@link io.kubemirror.testing.real.RealApiServer}, {@link
 * io.kubemirror.testing.real.K3sApiServer}).
 */
@NullMarked
package io.kubemirror.testing.real;

import org.jspecify.annotations.NullMarked;
