/** The {@code diagnose} command, a process of its own that uses HTTP alone. */
@NullMarked
package io.kubemirror.ops.cli;

import org.jspecify.annotations.NullMarked;
