/**
 * What the adapters share: reading objects from JSON, classifying failures of the transport, and
 * reading watches ahead.
 */
@NullMarked
package io.kubemirror.kube.json;

import org.jspecify.annotations.NullMarked;
