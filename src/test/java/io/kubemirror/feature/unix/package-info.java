/** Tests of the Unix socket. */
@NullMarked
package io.kubemirror.feature.unix;

import org.jspecify.annotations.NullMarked;
