/** Tests of what operators see. */
@NullMarked
package io.kubemirror.feature.diagnose;

import org.jspecify.annotations.NullMarked;
