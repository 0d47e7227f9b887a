package io.kubemirror.reflector;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

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
