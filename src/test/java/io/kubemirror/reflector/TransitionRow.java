package io.kubemirror.reflector;

import module java.base;

/**
 * The rows of the table in {@code src/docs/reflector.md} that a test goes through, each as {@code
 * State: input}.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface TransitionRow {

    /** The rows. */
    String[] value();
}
