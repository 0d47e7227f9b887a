package io.kubemirror.app.config;

import module java.base;

/**
 * Marks a property that only the start reads, or a group of properties. Others take effect when the
 * configuration is reloaded.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.RECORD_COMPONENT})
public @interface NeedsRestart {}
