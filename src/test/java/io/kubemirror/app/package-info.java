/** Tests of the application as a whole. */
@NullMarked
package io.kubemirror.app;

import org.jspecify.annotations.NullMarked;
