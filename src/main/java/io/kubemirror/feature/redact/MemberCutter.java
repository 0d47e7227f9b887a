package io.kubemirror.feature.redact;

import io.kubemirror.api.http.GoJson;
import io.kubemirror.kube.json.ByteRanges;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.exc.StreamReadException;

/** Finds what is cut and replaced in the JSON of one object. For use by one thread. */
final class MemberCutter {

    private final byte[] json;
    private final MemberTree tree;
    private final ByteRanges ranges;
    private final JsonParser parser;

    /**
     * Creates a cutter.
     *
     * @param ranges receives what is cut and replaced
     */
    MemberCutter(byte[] json, MemberTree tree, ByteRanges ranges) {
        this.json = json;
        this.tree = tree;
        this.ranges = ranges;
        this.parser = parser(json);
    }

    /**
     * Creates a parser of a document. No other parser gets the names that it keeps, because a
     * server may choose long ones.
     *
     * @throws StreamReadException if the document is not UTF-8
     */
    static JsonParser parser(byte[] document) {
        JsonParser parser = GoJson.PARSERS.copy().createParser(ObjectReadContext.empty(), document);
        if (parser.currentLocation().getByteOffset() < 0) {
            throw new StreamReadException(parser, "not UTF-8");
        }
        return parser;
    }

    /** Reads the object, and returns where it ends. */
    int cut() {
        try (parser) {
            parser.nextToken();
            members(tree.root());
            return position();
        }
    }

    private void members(MemberTree.Node node) {
        for (String name = nextName(); name != null; name = nextName()) {
            MemberTree.Node child = node.child(name);
            int start = tokenPosition();
            JsonToken value = parser.nextToken();
            if (child == null) {
                other(node, value);
            } else {
                value(child, value);
            }
            if (child == null ? node.partial() : isCut(child, value)) {
                cut(start, value);
            }
        }
    }

    private static boolean isCut(MemberTree.Node child, JsonToken value) {
        return child.dropped() || (child.partial() && value != JsonToken.START_OBJECT);
    }

    /** Skips or redacts the value of a member outside the tree. */
    private void other(MemberTree.Node parent, JsonToken value) {
        if (parent.redacted() && !parent.partial()) {
            redact(value);
        } else {
            parser.skipChildren();
        }
    }

    private void value(MemberTree.Node node, JsonToken value) {
        if (value == JsonToken.START_OBJECT) {
            members(node);
        } else if (node.redacted()) {
            redact(value);
        } else {
            parser.skipChildren();
        }
    }

    private String nextName() {
        String name = parser.nextName();
        closeRange();
        return name;
    }

    private void closeRange() {
        if (ranges.isOpen()) {
            ranges.close(json, tokenPosition());
        }
    }

    /** Cuts the member whose value has just been read. A long text is not decoded for its end. */
    private void cut(int start, JsonToken value) {
        if (value.isScalarValue()) {
            ranges.open(start, null);
        } else {
            ranges.add(start, position());
        }
    }

    /** Redacts a value and all in it. Does not recurse, because values may be nested deeply. */
    private void redact(JsonToken value) {
        int depth = 0;
        for (JsonToken token = value; token != null; token = parser.nextToken()) {
            closeRange();
            if (token.isScalarValue()) {
                String name = parser.currentName();
                ranges.open(tokenPosition(), name == null ? "" : name);
            }
            depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
            if (depth == 0) {
                return;
            }
        }
    }

    private int tokenPosition() {
        return Math.toIntExact(parser.currentTokenLocation().getByteOffset());
    }

    private int position() {
        return Math.toIntExact(parser.currentLocation().getByteOffset());
    }
}
