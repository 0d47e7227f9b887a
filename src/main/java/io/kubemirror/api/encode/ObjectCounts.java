package io.kubemirror.api.encode;

import java.util.List;

/**
 * The number of objects of a selection, and of those with each value (list-watch.md#or-6, #or-7).
 *
 * @param total the number of all objects
 * @param groups one for each value, the largest first; empty if the objects are not grouped
 */
public record ObjectCounts(long total, List<ValueCount> groups) {

    /**
     * The number of objects with a value.
     *
     * @param value the value, empty for objects that have none
     * @param count at least 1
     */
    public record ValueCount(String value, long count) {}
}
