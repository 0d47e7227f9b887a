/** Configuration files that are read again when they change. */
@NullMarked
package io.kubemirror.feature.reload;

import org.jspecify.annotations.NullMarked;
