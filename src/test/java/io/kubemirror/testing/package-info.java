/** Fixtures, manifests, and recording clients that the tests of several packages share. */
@NullMarked
package io.kubemirror.testing;

import org.jspecify.annotations.NullMarked;
