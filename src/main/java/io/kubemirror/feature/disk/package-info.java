/** Mirrors on disk, from which the next process continues. */
@NullMarked
package io.kubemirror.feature.disk;

import org.jspecify.annotations.NullMarked;
