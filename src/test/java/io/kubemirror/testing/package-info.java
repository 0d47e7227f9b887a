/**
 * What the tests of several packages share: fixtures, manifests, clients that record what they see.
 */
@NullMarked
package io.kubemirror.testing;

import org.jspecify.annotations.NullMarked;
