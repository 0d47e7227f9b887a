/** One stream of several resources. */
@org.jspecify.annotations.NullMarked
package io.kubemirror.feature.stream;
