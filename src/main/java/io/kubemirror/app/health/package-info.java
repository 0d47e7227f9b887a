/** Health and metrics of mirrors, their reflectors, and the configuration. */
@NullMarked
package io.kubemirror.app.health;

import org.jspecify.annotations.NullMarked;
