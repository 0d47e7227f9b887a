/** The memory that everything which grows with clients, history, or upstream data may use. */
@NullMarked
package io.kubemirror.memory;

import org.jspecify.annotations.NullMarked;
