/** Who may read: by which name, from which page, with which credentials, and what. */
@NullMarked
package io.kubemirror.access;

import org.jspecify.annotations.NullMarked;
