/**
 * What kubemirror is delivered as: the chart, rendered by Helm itself and created on an API server;
 * the alerts and the dashboard; the image, whose steps are run without an engine for containers.
 */
@NullMarked
package io.kubemirror.deploy;

import org.jspecify.annotations.NullMarked;
