/** Warnings of properties of Spring Boot that do not exist. */
@NullMarked
package io.kubemirror.feature.names;

import org.jspecify.annotations.NullMarked;
