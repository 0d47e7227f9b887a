/** The source of truth as a port: list, watch, and discovery, and their results. */
@NullMarked
package io.kubemirror.source;

import org.jspecify.annotations.NullMarked;
