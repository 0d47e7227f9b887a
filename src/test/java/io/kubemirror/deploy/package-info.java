/**
 * Tests of what is delivered: the chart, rendered by Helm and created on an API server; the alerts
 * and the dashboard; and the image, whose build steps run without a container engine.
 */
@NullMarked
package io.kubemirror.deploy;

import org.jspecify.annotations.NullMarked;
