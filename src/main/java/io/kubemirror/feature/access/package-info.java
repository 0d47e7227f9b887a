/** Access control: accepted host names, origins, authentication, and authorization. */
@NullMarked
package io.kubemirror.feature.access;

import org.jspecify.annotations.NullMarked;
