/**
 * Requests that the API server answers: with whose credentials, and what of the answer is shown.
 */
@NullMarked
package io.kubemirror.feature.forward;

import org.jspecify.annotations.NullMarked;
