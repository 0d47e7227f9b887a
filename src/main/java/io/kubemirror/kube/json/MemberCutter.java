package io.kubemirror.kube.json;

import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.exc.StreamReadException;

/** Finds what is cut in the JSON of one object. For use by one thread. */
final class MemberCutter {

    private final byte[] json;
    private final MemberTree tree;
    private final ByteRanges ranges;
    private final JsonParser parser;

    /**
     * Creates a cutter.
     *
     * @param ranges receives what is cut
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
        JsonParser parser =
                RecordingInputStream.PARSERS
                        .copy()
                        .createParser(ObjectReadContext.empty(), document);
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
            if (child != null && value == JsonToken.START_OBJECT) {
                members(child);
            } else {
                parser.skipChildren();
            }
            if (child == null ? node.partial() : isCut(child, value)) {
                cut(start, value);
            }
        }
    }

    private static boolean isCut(MemberTree.Node child, JsonToken value) {
        return child.dropped() || (child.partial() && value != JsonToken.START_OBJECT);
    }

    private String nextName() {
        String name = parser.nextName();
        if (ranges.isOpen()) {
            ranges.close(json, tokenPosition());
        }
        return name;
    }

    /** Cuts the member whose value has just been read. A long text is not decoded for its end. */
    private void cut(int start, JsonToken value) {
        if (value.isScalarValue()) {
            ranges.open(start);
        } else {
            ranges.add(start, position());
        }
    }

    private int tokenPosition() {
        return Math.toIntExact(parser.currentTokenLocation().getByteOffset());
    }

    private int position() {
        return Math.toIntExact(parser.currentLocation().getByteOffset());
    }
}
