/**
 * Tests of unmodified programs that read and write, each with its one setting. They run directly
 * against a real API server and through kubemirror, and have to end the same. The programs are in
 * {@code src/test/programs}.
 */
@org.jspecify.annotations.NullMarked
package io.kubemirror.programs;
