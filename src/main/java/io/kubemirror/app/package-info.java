/** The application: its start, its configuration, and one mirror and one reflector per resource. */
@NullMarked
package io.kubemirror.app;

import org.jspecify.annotations.NullMarked;
