package io.kubemirror.api.watch;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.junit.jupiter.api.Test;

/** A batch is one chunk, whatever was written before. */
class ChunkTest {

    private static final int LIMIT = 1000;

    private final ChunkSink.Chunk chunk = new ChunkSink.Chunk();

    @Test
    void chunk_has_its_size_its_frames_and_a_line_break() {
        assertThat(text(chunk.of(portion("first\n", "second\n"))))
                .isEqualTo("d\r\nfirst\nsecond\n\r\n");
    }

    @Test
    void same_frames_are_the_same_chunk_however_much_of_it_was_written() {
        byte[] frame = bytes("frame\n");
        FrameBatch one = new FrameBatch(LIMIT, 3, UnaryOperator.identity());
        one.add(frame);
        FrameBatch other = new FrameBatch(LIMIT, 3, UnaryOperator.identity());
        other.add(frame);
        String whole = text(chunk.of(one));
        assertThat(text(chunk.of(other))).isEqualTo(whole);
        chunk.of(other).position(3);
        assertThat(text(chunk.of(one))).isEqualTo(whole);
    }

    @Test
    void different_frames_produce_different_chunks() {
        assertThat(text(chunk.of(portion("a\n")))).isEqualTo("2\r\na\n\r\n");
        assertThat(text(chunk.of(portion("b\n")))).isEqualTo("2\r\nb\n\r\n");
        assertThat(text(chunk.of(portion("b\n", "a\n")))).isEqualTo("4\r\nb\na\n\r\n");
        assertThat(text(chunk.of(portion("b\n")))).isEqualTo("2\r\nb\n\r\n");
    }

    @Test
    void object_of_any_size_fits_into_a_chunk() {
        String large = "x".repeat(3 << 20);
        assertThat(text(chunk.of(portion(large)))).isEqualTo("300000\r\n" + large + "\r\n");
        assertThat(text(chunk.of(portion("a\n")))).isEqualTo("2\r\na\n\r\n");
    }

    @Test
    void batch_is_full_with_the_frame_that_reaches_its_size() {
        FrameBatch batch = portion("x".repeat(LIMIT - 1));
        assertThat(batch.isFull()).isFalse();
        batch.add(bytes("\n"));
        assertThat(batch.isFull()).isTrue();
        assertThat(batch.events()).isEqualTo(2);
        assertThat(batch.bytes()).isEqualTo(LIMIT);
    }

    @Test
    void batch_is_full_with_the_event_that_reaches_its_number() {
        FrameBatch batch = portion("a\n", "b\n");
        assertThat(batch.isFull()).isFalse();
        batch.add(bytes("c\n"));
        assertThat(batch.isFull()).isTrue();
    }

    private static FrameBatch portion(String... frames) {
        FrameBatch batch = new FrameBatch(LIMIT, 3, UnaryOperator.identity());
        for (String frame : frames) {
            batch.add(bytes(frame));
        }
        return batch;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static String text(ByteBuffer buffer) {
        return StandardCharsets.US_ASCII.decode(buffer).toString();
    }
}
