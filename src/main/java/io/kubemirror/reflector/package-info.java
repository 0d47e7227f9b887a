/** Reads the API server by list and watch and writes the result to a mirror. */
@NullMarked
package io.kubemirror.reflector;

import org.jspecify.annotations.NullMarked;
