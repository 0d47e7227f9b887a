/** The Kubernetes read API, answered from the mirrors. */
@NullMarked
package io.kubemirror.web;

import org.jspecify.annotations.NullMarked;
