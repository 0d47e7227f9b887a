/** The application: configuration and the wiring of one mirror and one reflector per resource. */
@NullMarked
package io.kubemirror;

import org.jspecify.annotations.NullMarked;
