/** Watches that continue with the newest state when their clients have fallen behind. */
@org.jspecify.annotations.NullMarked
package io.kubemirror.feature.conflate;
