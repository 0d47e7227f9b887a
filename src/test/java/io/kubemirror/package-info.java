/** Tests of the application as a whole. */
@NullMarked
package io.kubemirror;

import org.jspecify.annotations.NullMarked;
