package io.kubemirror.parity;

import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/** Finds objects within a text and sorts their members at all depths. */
final class SortedMembers {

    private static final JsonMapper MAPPER =
            JsonMapper.builder()
                    .enable(JsonNodeFeature.WRITE_PROPERTIES_SORTED)
                    .disable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
                    .build();

    private SortedMembers() {}

    /**
     * An object.
     *
     * @param sorted the object in one line, its members sorted
     * @param end where it ends in the text
     */
    record MemberRange(String sorted, int end) {}

    /** The object that begins at a place. */
    static MemberRange at(String text, int start) {
        try (JsonParser parser = MAPPER.createParser(text.substring(start))) {
            JsonNode object = MAPPER.readTree(parser);
            int length = (int) parser.currentLocation().getCharOffset();
            return new MemberRange(MAPPER.writeValueAsString(object), start + length);
        }
    }
}
