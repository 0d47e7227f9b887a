/** Configuration files: reading, errors in them, noticing their changes; levels of loggers. */
@NullMarked
package io.kubemirror.config;

import org.jspecify.annotations.NullMarked;
