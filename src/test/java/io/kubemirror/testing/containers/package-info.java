/** A server for what the real API server of the tests does not have: containers. */
@NullMarked
package io.kubemirror.testing.containers;

import org.jspecify.annotations.NullMarked;
