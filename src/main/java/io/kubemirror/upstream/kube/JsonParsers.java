package io.kubemirror.upstream.kube;

import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.core.json.JsonFactory;

/** Makes the parsers of lists and watches. */
final class JsonParsers {

    /** As deep as the API server reads; nothing here recurses into what it skips. */
    private static final int DEPTH = 10_000;

    /**
     * In characters, of what is looked at: names, labels, and selectable fields are far shorter.
     */
    private static final int LONGEST_TEXT = 256 * 1024;

    private static final JsonFactory FACTORY =
            JsonFactory.builder()
                    // A stream may outlive its parser, and is closed by whoever opened it.
                    .disable(StreamReadFeature.AUTO_CLOSE_SOURCE)
                    .streamReadConstraints(
                            StreamReadConstraints.builder()
                                    .maxNestingDepth(DEPTH)
                                    .maxStringLength(LONGEST_TEXT)
                                    .build())
                    .build();

    private JsonParsers() {}

    /**
     * A parser of a stream; it waits for the stream's first bytes.
     *
     * @throws JacksonException if they cannot be read or are not UTF-8
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
