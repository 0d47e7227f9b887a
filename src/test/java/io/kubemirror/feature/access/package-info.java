/** Tests of who may read. */
@NullMarked
package io.kubemirror.feature.access;

import org.jspecify.annotations.NullMarked;
