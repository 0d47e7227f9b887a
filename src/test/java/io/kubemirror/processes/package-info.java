/**
 * Tests of kubemirror in a process of its own, because they limit its heap or its files, kill it,
 * or read what it prints. The start of one takes seconds, so {@code mvn verify} leaves them to CI.
 */
@org.jspecify.annotations.NullMarked
package io.kubemirror.processes;
