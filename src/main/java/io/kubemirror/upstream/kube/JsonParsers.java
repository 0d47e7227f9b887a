package io.kubemirror.upstream.kube;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;

/** Creates the parsers of lists and watches. */
final class JsonParsers {

    /**
     * The maximum nesting depth, the same as in the API server. Skipping nested values does not
     * recurse.
     */
    private static final int DEPTH = 10_000;

    /**
     * The maximum length in characters of decoded texts. Names, labels, and selectable fields are
     * far shorter.
     */
    private static final int LONGEST_TEXT = 256 * 1024;

    private static final JsonFactory FACTORY =
            JsonFactory.builder()
                    // A stream may outlive its parser; the code that opened it closes it.
                    .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
                    .streamReadConstraints(
                            StreamReadConstraints.builder()
                                    .maxNestingDepth(DEPTH)
                                    .maxStringLength(LONGEST_TEXT)
                                    .build())
                    .build();

    private JsonParsers() {}

    /**
     * Creates a parser and waits for the first bytes of the stream.
     *
     * @throws JacksonException if the bytes cannot be read or are not UTF-8
     */
    static JsonParser parser(RecordingInputStream input) {
        JsonParser parser = FACTORY.createParser(ObjectReadContext.empty(), input);
        input.release();
        if (parser.currentLocation().getByteOffset() < 0) {
            throw new StreamReadException(parser, "not UTF-8");
        }
        return parser;
    }
}
