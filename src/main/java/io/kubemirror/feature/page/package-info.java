/** The status page on the management port and its streams. */
@NullMarked
package io.kubemirror.feature.page;

import org.jspecify.annotations.NullMarked;
