/**
 * Measures kubemirror against the API server that it mirrors, both in one run on one machine; no
 * part of the tests. Its command is in the README.
 */
@NullMarked
package io.kubemirror.load;

import org.jspecify.annotations.NullMarked;
