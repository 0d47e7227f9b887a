/**
 * Measures kubemirror against the API server that it mirrors, both in one run on one machine; no
 * part of the tests. CONTRIBUTING.md has its command.
 */
@NullMarked
package io.kubemirror.load;

import org.jspecify.annotations.NullMarked;
