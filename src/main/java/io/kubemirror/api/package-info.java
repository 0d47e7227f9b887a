/** The Kubernetes read API, served from the mirrors: routing and wiring. */
@NullMarked
package io.kubemirror.api;

import org.jspecify.annotations.NullMarked;
