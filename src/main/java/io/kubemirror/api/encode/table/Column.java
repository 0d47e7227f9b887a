package io.kubemirror.api.encode.table;

import com.fasterxml.jackson.annotation.JsonIgnore;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * A column of a table: its definition and the value that it shows of each object.
 *
 * @param name its heading
 * @param type the type of its values, as OpenAPI names it
 * @param format what the type does not say, empty for nothing
 * @param description what it means
 * @param priority 0 for a column that is always shown, more for one of {@code kubectl -o wide}
 * @param cell its values
 */
public record Column(
        String name,
        String type,
        String format,
        String description,
        int priority,
        @JsonIgnore Cell cell) {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    /** The API server's descriptions of its columns, by resource and by name; * is any resource. */
    private static final JsonNode DESCRIPTIONS = readDescriptions();

    /** What a column shows of an object. */
    @FunctionalInterface
    interface Cell {

        /**
         * Returns the value.
         *
         * @param object the object; of a bookmark nothing but its revision
         * @param now the time that ages end at
         */
        JsonNode of(JsonNode object, Instant now);
    }

    /** A text that depends on the time. */
    @FunctionalInterface
    interface Clocked {

        /** Returns the text. */
        String of(JsonNode object, Instant now);
    }

    private static JsonNode readDescriptions() {
        try (InputStream file = Column.class.getResourceAsStream("descriptions.json")) {
            return JsonMapper.shared().readTree(Objects.requireNonNull(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A column of text. */
    static Column text(String name, Function<JsonNode, String> value) {
        return timed(name, (object, _) -> value.apply(object));
    }

    /** A column with the text at a JSON pointer, empty where there is none. */
    static Column text(String name, String pointer) {
        return text(name, object -> object.at(pointer).asString(""));
    }

    /** A column with the whole number at a JSON pointer, 0 where there is none. */
    static Column number(String name, String pointer) {
        return number(name, object -> object.at(pointer).asLong(0));
    }

    private static Column number(String name, ToLongFunction<JsonNode> value) {
        return new Column(
                name,
                "integer",
                "",
                "",
                0,
                (object, _) -> JSON.numberNode(value.applyAsLong(object)));
    }

    /** A column of whole numbers that the API server declares as text. */
    static Column count(String name, ToLongFunction<JsonNode> value) {
        return number(name, value).typed("string");
    }

    /** A column of text that depends on the time. */
    static Column timed(String name, Clocked value) {
        return new Column(
                name, "string", "", "", 0, (object, now) -> JSON.stringNode(value.of(object, now)));
    }

    /** The name of the object. */
    static Column named() {
        Column column = text("Name", "/metadata/name");
        return new Column(column.name, column.type, "name", "", 0, column.cell);
    }

    /** How long the object has existed. */
    static Column age() {
        return timed(
                "Age",
                (object, now) ->
                        HumanDuration.since(object.at("/metadata/creationTimestamp"), now));
    }

    /** The column with a member of each container of a pod template. */
    static Column ofContainers(String name, String member) {
        return text(
                        name,
                        object ->
                                CellText.each(object.at("/spec/template/spec/containers"), member))
                .wide();
    }

    /** The same with the description that the API server gives to a resource's column. */
    Column described(String resource) {
        return new Column(name, type, format, description(resource, name), priority, cell);
    }

    /** The API server's description of a column. */
    static String description(String resource, String name) {
        JsonNode own = DESCRIPTIONS.path(resource).path(name);
        return own.isString()
                ? own.asString()
                : DESCRIPTIONS.required("*").required(name).asString();
    }

    /** The same with another type. */
    Column typed(String other) {
        return new Column(name, other, format, description, priority, cell);
    }

    /** The same, but shown only where there is room. */
    Column wide() {
        return new Column(name, type, format, description, 1, cell);
    }
}
