package io.kubemirror.app.health;

import module java.base;

/** A feature that has findings of its own. The diagnosis asks all beans of this type. */
@FunctionalInterface
public interface FindingSource {

    /**
     * Returns what operators should know at present. Must not block. May be called by any thread.
     */
    List<Finding> findings();
}
