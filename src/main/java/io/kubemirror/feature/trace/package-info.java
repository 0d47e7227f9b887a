/**
 * Traces of changes, from their arrival to their delivery. Boot's starter for OpenTelemetry is in
 * the image, and off by default. Rejected: a second image, which is another artifact to sign, for 5
 * MB.
 */
@NullMarked
package io.kubemirror.feature.trace;

import org.jspecify.annotations.NullMarked;
