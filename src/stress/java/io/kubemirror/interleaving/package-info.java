/** Runs what several threads do at the same time in every order that can be told apart. */
@NullMarked
package io.kubemirror.interleaving;

import org.jspecify.annotations.NullMarked;
