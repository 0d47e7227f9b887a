/** The status page on the management port and its streams. */
@NullMarked
package io.kubemirror.ops.page;

import org.jspecify.annotations.NullMarked;
