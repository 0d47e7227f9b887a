/**
 * The adapter to the Kubernetes API, based on the transport and the credentials of the official
 * Java client; it splits responses into objects without decoding them completely.
 */
@NullMarked
package io.kubemirror.kube;

import org.jspecify.annotations.NullMarked;
