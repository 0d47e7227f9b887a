/** Tests of the warnings of properties of Spring Boot. */
@NullMarked
package io.kubemirror.feature.names;

import org.jspecify.annotations.NullMarked;
