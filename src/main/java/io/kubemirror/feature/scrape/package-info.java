/** Where a scrape of the API finds the metrics. */
@NullMarked
package io.kubemirror.feature.scrape;

import org.jspecify.annotations.NullMarked;
