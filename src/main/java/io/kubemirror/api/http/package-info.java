/**
 * HTTP as the API server speaks it: paths, queries, options, content negotiation, Status errors,
 * Go-compatible text.
 */
@NullMarked
package io.kubemirror.api.http;

import org.jspecify.annotations.NullMarked;
