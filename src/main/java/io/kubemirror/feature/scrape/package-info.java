/** Where a scrape of the API finds the metrics, and the names that it expects. */
@NullMarked
package io.kubemirror.feature.scrape;

import org.jspecify.annotations.NullMarked;
