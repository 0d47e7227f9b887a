package io.kubemirror.feature.forward;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import module java.base;

import io.kubemirror.model.Revision;

import org.junit.jupiter.api.Test;

class AnswerDocumentTest {

    @Test
    void revision_is_known_before_the_items_arrive() {
        InputStream items =
                new InputStream() {
                    @Override
                    public int read() {
                        throw new AssertionError("the items are parsed");
                    }

                    @Override
                    public int read(byte[] bytes, int offset, int length) {
                        return read();
                    }
                };
        InputStream head = bytes("{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[");

        assertThat(revision(new SequenceInputStream(head, items))).contains(new Revision("7"));
    }

    @Test
    void revision_is_found_behind_the_items() {
        assertThat(
                        revision(
                                bytes(
                                        "{\"items\":[{\"metadata\":{\"resourceVersion\":\"3\"}}],"
                                                + "\"metadata\":{\"resourceVersion\":\"7\"}}")))
                .contains(new Revision("7"));
    }

    private static Optional<Revision> revision(InputStream document) {
        return AnswerTracker.revision("application/json;charset=utf-8", document, false);
    }

    private static InputStream bytes(String text) {
        return new ByteArrayInputStream(text.getBytes(UTF_8));
    }
}
