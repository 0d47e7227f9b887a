package io.kubemirror.web.table;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

import java.time.Instant;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * A column of a table: what it says of itself, and what it shows of each object.
 *
 * @param name its heading
 * @param type the type of its values, as OpenAPI names it
 * @param format what the type does not say, empty for nothing
 * @param description what it means
 * @param priority 0 for a column that is always shown, more for one of {@code kubectl -o wide}
 * @param cell its values
 */
public record Column(
        String name, String type, String format, String description, int priority, Cell cell) {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    /** What the API server says of the time that an object was made. */
    static final String CREATED =
            "CreationTimestamp is a timestamp representing the server time when this object was"
                + " created. It is not guaranteed to be set in happens-before order across separate"
                + " operations. Clients may not set this value. It is represented in RFC3339 form"
                + " and is in UTC.\n\n"
                + "Populated by the system. Read-only. Null for lists. More info:"
                + " https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

    private static final String NAME =
            "Name must be unique within a namespace. Is required when creating resources, although"
                + " some resources may allow a client to request the generation of an appropriate"
                + " name automatically. Name is primarily intended for creation idempotence and"
                + " configuration definition. Cannot be updated. More info:"
                + " https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";

    /** A column of text. */
    static Column text(String name, String description, Function<JsonNode, String> value) {
        return new Column(
                name,
                "string",
                "",
                description,
                0,
                (object, _) -> JSON.stringNode(value.apply(object)));
    }

    /** A column of whole numbers. */
    static Column number(String name, String description, ToLongFunction<JsonNode> value) {
        return new Column(
                name,
                "integer",
                "",
                description,
                0,
                (object, _) -> JSON.numberNode(value.applyAsLong(object)));
    }

    /** A column that counts, but which the API server declares as text. */
    static Column count(String name, String description, ToLongFunction<JsonNode> value) {
        return number(name, description, value).typed("string");
    }

    /** A column of text that depends on the time. */
    static Column timed(String name, String description, Clocked value) {
        return new Column(
                name,
                "string",
                "",
                description,
                0,
                (object, now) -> JSON.stringNode(value.of(object, now)));
    }

    /** The name of the object. */
    static Column named() {
        Column column =
                text("Name", NAME, object -> object.path("metadata").path("name").asString(""));
        return new Column(column.name, column.type, "name", NAME, 0, column.cell);
    }

    /** How long the object has existed. */
    static Column age() {
        return timed(
                "Age",
                CREATED,
                (object, now) ->
                        HumanDuration.since(
                                object.path("metadata").path("creationTimestamp"), now));
    }

    /** When the object was made, for types that have no columns of their own (NE-20). */
    static Column createdAt() {
        return text(
                        "Created At",
                        CREATED,
                        object -> object.path("metadata").path("creationTimestamp").asString(""))
                .typed("date");
    }

    /** The same with another type. */
    Column typed(String other) {
        return new Column(name, other, format, description, priority, cell);
    }

    /** The same, but shown only where there is room. */
    Column wide() {
        return new Column(name, type, format, description, 1, cell);
    }

    /** A text that depends on the time. */
    @FunctionalInterface
    interface Clocked {

        /** The text. */
        String of(JsonNode object, Instant now);
    }
}
