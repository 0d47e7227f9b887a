/** The {@code diagnose} command, which runs as a separate process and uses HTTP only. */
@NullMarked
package io.kubemirror.ops.cli;

import org.jspecify.annotations.NullMarked;
