/** What people are shown of an object: kubectl's columns (spec 2.3). */
@NullMarked
package io.kubemirror.web.table;

import org.jspecify.annotations.NullMarked;
