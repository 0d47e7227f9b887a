/**
 * HTTP as the API server implements it: paths, queries, options, content negotiation, Status
 * errors, and Go-compatible text.
 */
@NullMarked
package io.kubemirror.api.http;

import org.jspecify.annotations.NullMarked;
