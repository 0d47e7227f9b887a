/** Tests of scrapes of the API. */
@NullMarked
package io.kubemirror.feature.scrape;

import org.jspecify.annotations.NullMarked;
