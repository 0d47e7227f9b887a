/** Mirrors that start with the first request for their type. */
@NullMarked
package io.kubemirror.feature.demand;

import org.jspecify.annotations.NullMarked;
