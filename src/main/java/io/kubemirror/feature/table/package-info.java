/** The columns that kubectl shows for each type. */
@NullMarked
package io.kubemirror.feature.table;

import org.jspecify.annotations.NullMarked;
