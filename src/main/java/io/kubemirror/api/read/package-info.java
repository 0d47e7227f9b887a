/** Gets, lists, and discovery: finds the mirror and the state that serve a request. */
@NullMarked
package io.kubemirror.api.read;

import org.jspecify.annotations.NullMarked;
