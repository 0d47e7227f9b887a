/** Tests of what operators see. */
@NullMarked
package io.kubemirror.ops;

import org.jspecify.annotations.NullMarked;
