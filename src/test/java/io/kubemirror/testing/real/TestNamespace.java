package io.kubemirror.testing.real;

/**
 * A namespace for one test alone, as a parameter of tests under {@link WithApiServer}.
 *
 * @param name its name, unique on the server
 */
public record TestNamespace(String name) {}
