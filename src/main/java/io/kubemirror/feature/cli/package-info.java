/** The {@code diagnose} command, which runs as a separate process and uses HTTP only. */
@NullMarked
package io.kubemirror.feature.cli;

import org.jspecify.annotations.NullMarked;
