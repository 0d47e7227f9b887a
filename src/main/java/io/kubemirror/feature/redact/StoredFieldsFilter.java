package io.kubemirror.feature.redact;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.api.http.JsonPath;
import io.kubemirror.api.read.DocumentFilter;
import io.kubemirror.kube.json.ByteRanges;
import io.kubemirror.model.FieldPath;

import org.jspecify.annotations.Nullable;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Shows of documents what a mirror stores of its objects. */
public final class StoredFieldsFilter implements DocumentFilter {

    private static final String WITHHELD =
            "the API server refuses the object; kubemirror does not show why, because it hides"
                    + " fields of this resource";

    private static final JsonMapper JSON = JsonMapper.shared();
    private static final JsonPath VERSION = JsonPath.strict(".apiVersion");
    private static final JsonPath UID = JsonPath.strict(".metadata.uid");
    private static final JsonPath NAMESPACE = JsonPath.strict(".metadata.namespace");
    private static final JsonPath NAME = JsonPath.strict(".metadata.name");

    private final StoredFields stored;
    private final MemberTree tree;

    /** Creates a filter that shows what is stored. */
    public StoredFieldsFilter(StoredFields stored) {
        this.stored = stored;
        this.tree = new MemberTree(stored);
    }

    @Override
    public boolean hidesContent() {
        return stored.hidesContent();
    }

    @Override
    public Optional<byte[]> shown(byte[] document) {
        try {
            TypeAndItems type = type(document);
            return switch (type.kind()) {
                case null -> Optional.empty();
                case String kind
                        when kind.equals("Status") && text(document, VERSION).equals("v1") ->
                        Optional.of(document);
                case String _ when type.items() && text(document, UID).isEmpty() ->
                        Optional.of(list(document));
                case String _ -> Optional.of(object(document));
            };
        } catch (JacksonException _) {
            return Optional.empty();
        }
    }

    /**
     * The kind of a document, null if it has none, and whether it has items. Custom resources may
     * be of any kind, and have items, too, but only lists have no UID.
     */
    private record TypeAndItems(@Nullable String kind, boolean items) {}

    private static TypeAndItems type(byte[] document) {
        String kind = null;
        boolean items = false;
        try (JsonParser parser = MemberCutter.parser(document)) {
            if (parser.nextToken() == JsonToken.START_OBJECT) {
                for (String name = parser.nextName(); name != null; name = parser.nextName()) {
                    JsonToken value = parser.nextToken();
                    if (name.equals("kind") && value == JsonToken.VALUE_STRING) {
                        kind = parser.getString();
                    }
                    items |= name.equals("items") && value == JsonToken.START_ARRAY;
                    parser.skipChildren();
                }
            }
        }
        return new TypeAndItems(kind, items);
    }

    private byte[] object(byte[] document) {
        Redactor redactor =
                Redactor.of(
                        stored,
                        text(document, UID),
                        text(document, NAMESPACE),
                        text(document, NAME));
        ByteRanges ranges = new ByteRanges();
        // The ranges are cut in place.
        byte[] json = document.clone();
        int end = new MemberCutter(json, tree, ranges).cut();
        int length = ranges.apply(json, end, redactor);
        return Arrays.copyOf(ranges.result(), length);
    }

    private static String text(byte[] document, JsonPath path) {
        String text = path.text(document);
        return text == null ? "" : text;
    }

    /** Copies the type and the metadata of a list, and what is shown of its items. */
    private byte[] list(byte[] document) {
        ByteArrayOutputStream shown = new ByteArrayOutputStream(document.length);
        try (JsonParser parser = MemberCutter.parser(document)) {
            String separator = "{";
            parser.nextToken();
            for (String name = parser.nextName(); name != null; name = parser.nextName()) {
                JsonToken value = parser.nextToken();
                if (name.equals("items") && value == JsonToken.START_ARRAY) {
                    write(shown, separator + "\"items\":[");
                    items(parser, document, shown);
                    write(shown, "]");
                    separator = ",";
                } else if (List.of("kind", "apiVersion", "metadata").contains(name)) {
                    write(shown, separator + "\"" + name + "\":");
                    int start = Math.toIntExact(parser.currentTokenLocation().getByteOffset());
                    parser.skipChildren();
                    parser.finishToken();
                    int end = Math.toIntExact(parser.currentLocation().getByteOffset());
                    shown.write(document, start, end - start);
                    separator = ",";
                } else {
                    parser.skipChildren();
                }
            }
        }
        write(shown, "}");
        return shown.toByteArray();
    }

    private void items(JsonParser parser, byte[] document, ByteArrayOutputStream shown) {
        String separator = "";
        while (parser.nextToken() == JsonToken.START_OBJECT) {
            int start = Math.toIntExact(parser.currentTokenLocation().getByteOffset());
            parser.skipChildren();
            int end = Math.toIntExact(parser.currentLocation().getByteOffset());
            write(shown, separator);
            shown.writeBytes(object(Arrays.copyOfRange(document, start, end)));
            separator = ",";
        }
    }

    private static void write(ByteArrayOutputStream document, String text) {
        document.writeBytes(text.getBytes(UTF_8));
    }

    @Override
    public Optional<byte[]> refusal(byte[] document) {
        try {
            return JSON.readTree(document) instanceof ObjectNode status
                            && status.path("kind").stringValue("").equals("Status")
                    ? Optional.of(refusal(status))
                    : Optional.empty();
        } catch (JacksonException _) {
            return Optional.empty();
        }
    }

    private byte[] refusal(ObjectNode status) {
        boolean withheld = status.path("code").intValue(0) == 422;
        if (status.path("details").path("causes") instanceof ArrayNode causes) {
            withheld &= causes.isEmpty();
            for (JsonNode cause : causes) {
                if (cause instanceof ObjectNode one
                        && !isShown(one.path("field").stringValue(""))) {
                    one.remove("message");
                    withheld = true;
                }
            }
        }
        if (withheld) {
            status.put("message", WITHHELD);
        }
        return JSON.writeValueAsBytes(status);
    }

    /**
     * An element of an array is a part of the member that has it. What the API server says of a
     * patch as such quotes the whole object.
     */
    private boolean isShown(String field) {
        try {
            return !field.equals("patch")
                    && stored.isShown(FieldPath.parse(field.replaceFirst("\\[[^'].*", "")));
        } catch (IllegalArgumentException unknown) {
            return false;
        }
    }
}
