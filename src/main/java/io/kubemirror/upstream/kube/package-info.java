/**
 * The adapter to the Kubernetes API, on the transport and the credentials of the official Java
 * client; it cuts bytes into objects.
 */
@NullMarked
package io.kubemirror.upstream.kube;

import org.jspecify.annotations.NullMarked;
