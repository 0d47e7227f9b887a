/** What is mirrored, for clients of the API. */
@NullMarked
package io.kubemirror.feature.catalog;

import org.jspecify.annotations.NullMarked;
