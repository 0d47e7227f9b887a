/** The columns that kubectl shows for each type. */
@NullMarked
package io.kubemirror.api.encode.table;

import org.jspecify.annotations.NullMarked;
