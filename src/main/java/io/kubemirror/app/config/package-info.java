/** The properties: bound, checked, and shown. */
@NullMarked
package io.kubemirror.app.config;

import org.jspecify.annotations.NullMarked;
