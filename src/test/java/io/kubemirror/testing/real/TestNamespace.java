package io.kubemirror.testing.real;

/**
 * A namespace for one test, as a parameter of tests with {@link WithApiServer}.
 *
 * @param name its name, unique on the server
 */
public record TestNamespace(String name) {}
