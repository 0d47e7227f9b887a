package io.kubemirror.web.table;

import tools.jackson.databind.JsonNode;

import java.time.Instant;

/** What a column shows of an object. */
@FunctionalInterface
interface Cell {

    /**
     * The value.
     *
     * @param object the object; of a bookmark nothing but its revision
     * @param now the time that ages end at
     */
    JsonNode of(JsonNode object, Instant now);
}
