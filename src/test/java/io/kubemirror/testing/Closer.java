package io.kubemirror.testing;

import module java.base;

/** Closes what a test has opened, the last first. */
public final class Closer implements AutoCloseable {

    private final List<AutoCloseable> open = new ArrayList<>();

    /** Adds a resource and returns it. */
    public <T extends AutoCloseable> T add(T resource) {
        open.add(resource);
        return resource;
    }

    @Override
    public void close() {
        open.reversed().forEach(resource -> Unchecked.run(resource::close));
        open.clear();
    }
}
