/** What operators see: metrics, health, diagnostics. */
@NullMarked
package io.kubemirror.ops;

import org.jspecify.annotations.NullMarked;
