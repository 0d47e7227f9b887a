/** Turns the API server into a sequence of facts and writes them to a mirror. */
@NullMarked
package io.kubemirror.reflector;

import org.jspecify.annotations.NullMarked;
