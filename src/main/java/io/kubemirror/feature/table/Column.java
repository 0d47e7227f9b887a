package io.kubemirror.feature.table;

import module java.base;

import com.fasterxml.jackson.annotation.JsonIgnore;

import io.kubemirror.feature.table.CellText.HumanDuration;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A column of a table: its definition and the function that computes its cells.
 *
 * @param name the heading
 * @param type the OpenAPI type of the values
 * @param format further details of the type, possibly empty
 * @param description the description of the column
 * @param priority 0 for a column that is always shown, a larger number for one of {@code kubectl -o
 *     wide}
 * @param cell computes the values
 */
public record Column(
        String name,
        String type,
        String format,
        String description,
        int priority,
        @JsonIgnore Cell cell) {

    /**
     * The descriptions of columns in the API server, by resource and name; * stands for any
     * resource.
     */
    private static final JsonNode DESCRIPTIONS = readDescriptions();

    /** Computes the cell of an object. */
    @FunctionalInterface
    interface Cell {

        /**
         * Returns the value: text, a number, a truth value, or null.
         *
         * @param object the object; a bookmark has only a revision
         * @param now the time from which ages are computed
         */
        @Nullable Object of(JsonNode object, Instant now);
    }

    private static JsonNode readDescriptions() {
        try (InputStream file = Column.class.getResourceAsStream("descriptions.json")) {
            return JsonMapper.shared().readTree(Objects.requireNonNull(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Creates a text column. */
    static Column text(String name, Function<JsonNode, String> value) {
        return timed(name, (object, _) -> value.apply(object));
    }

    /** Creates a text column for a JSON pointer. The cell is empty if there is no value. */
    static Column text(String name, String pointer) {
        return text(name, object -> object.at(pointer).asString(""));
    }

    /** Creates an integer column for a JSON pointer. The cell is 0 if there is no value. */
    static Column number(String name, String pointer) {
        return number(name, object -> object.at(pointer).asLong(0));
    }

    /** Creates an integer column. */
    static Column number(String name, ToLongFunction<JsonNode> value) {
        return new Column(name, "integer", "", "", 0, (object, _) -> value.applyAsLong(object));
    }

    /** Creates a text column that depends on the time. */
    static Column timed(String name, BiFunction<JsonNode, Instant, String> value) {
        return new Column(name, "string", "", "", 0, value::apply);
    }

    /** Creates a column of truth values for a JSON pointer, and the cell if there is no value. */
    static Column flag(String name, String pointer, boolean other) {
        return new Column(
                name, "boolean", "", "", 0, (object, _) -> object.at(pointer).asBoolean(other));
    }

    /** Creates a text column with the number at a JSON pointer, or text if there is none. */
    static Column value(String name, String pointer, String other) {
        Cell cell = (object, _) -> object.at(pointer).isNumber() ? object.at(pointer) : other;
        return new Column(name, "string", "", "", 0, cell);
    }

    /** Creates the column with the name of the object. */
    static Column named() {
        return text("Name", "/metadata/name").formatted("name");
    }

    /** Creates the column with the name, and whether one of the annotations is true. */
    static Column named(List<String> annotations) {
        return text("Name", object -> name(object.path("metadata"), annotations)).formatted("name");
    }

    private static String name(JsonNode metadata, List<String> annotations) {
        JsonNode values = metadata.path("annotations");
        boolean marked = annotations.stream().anyMatch(it -> values.path(it).asBoolean(false));
        return metadata.path("name").asString("") + (marked ? " (default)" : "");
    }

    /** Returns this column with a format of its type. */
    Column formatted(String other) {
        return new Column(name, type, other, description, priority, cell);
    }

    /** Creates the column with the age of the object. */
    static Column age() {
        return timed(
                "Age",
                (object, now) ->
                        HumanDuration.since(object.at("/metadata/creationTimestamp"), now));
    }

    /**
     * Returns this column with the description that the API server has for the column of a
     * resource.
     */
    Column described(String resource) {
        return new Column(name, type, format, description(resource, name), priority, cell);
    }

    /** Returns this column with a description. */
    Column explained(String text) {
        return new Column(name, type, format, text, priority, cell);
    }

    /** Returns the description of a column in the API server. */
    static String description(String resource, String name) {
        JsonNode own = DESCRIPTIONS.path(resource).path(name);
        return own.isString()
                ? own.asString()
                : DESCRIPTIONS.required("*").required(name).asString();
    }

    /** Returns this column with another type. */
    Column typed(String other) {
        return new Column(name, other, format, description, priority, cell);
    }

    /** Returns this column, shown in wide output only. */
    Column wide() {
        return new Column(name, type, format, description, 1, cell);
    }
}
