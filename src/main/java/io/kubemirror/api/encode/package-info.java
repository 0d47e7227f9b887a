/** The bodies of responses: objects, lists, watch frames, metadata, and tables. */
@NullMarked
package io.kubemirror.api.encode;

import org.jspecify.annotations.NullMarked;
