/** Lists in the order of a value of their objects, and the numbers of objects by value. */
@NullMarked
package io.kubemirror.feature.query;

import org.jspecify.annotations.NullMarked;
