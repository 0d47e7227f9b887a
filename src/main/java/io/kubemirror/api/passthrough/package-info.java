/** Requests that kubemirror does not answer itself, passed on to the API server. */
@NullMarked
package io.kubemirror.api.passthrough;

import org.jspecify.annotations.NullMarked;
