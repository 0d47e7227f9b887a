/**
 * The API server as a port ({@link io.kubemirror.kube.KubeApi}) and its one adapter on the official
 * Java client.
 */
@NullMarked
package io.kubemirror.kube;

import org.jspecify.annotations.NullMarked;
