/** Tests of what clients learn about the mirrors. */
@NullMarked
package io.kubemirror.feature.catalog;

import org.jspecify.annotations.NullMarked;
