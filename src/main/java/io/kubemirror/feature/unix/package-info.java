/** The API on a Unix socket, whose clients are the users of their processes. */
@NullMarked
package io.kubemirror.feature.unix;

import org.jspecify.annotations.NullMarked;
