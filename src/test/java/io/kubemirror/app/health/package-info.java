/** Tests of health and metrics. */
@NullMarked
package io.kubemirror.app.health;

import org.jspecify.annotations.NullMarked;
