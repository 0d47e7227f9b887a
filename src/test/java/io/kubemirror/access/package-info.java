/** Tests of who may read. */
@NullMarked
package io.kubemirror.access;

import org.jspecify.annotations.NullMarked;
