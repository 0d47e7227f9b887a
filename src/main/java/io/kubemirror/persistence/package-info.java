/** Mirrors on disk, from which the next process continues. */
@NullMarked
package io.kubemirror.persistence;

import org.jspecify.annotations.NullMarked;
