/** Mirrors that show several others together, such as one resource in several namespaces. */
@NullMarked
package io.kubemirror.feature.union;

import org.jspecify.annotations.NullMarked;
