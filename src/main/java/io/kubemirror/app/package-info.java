/** The application: its start, and one mirror and one reflector per resource. */
@NullMarked
package io.kubemirror.app;

import org.jspecify.annotations.NullMarked;
