package io.kubemirror.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A portion is one chunk, whatever was written before. */
class ChunkTest {

    private final Chunk chunk = new Chunk();

    @Test
    void a_chunk_has_its_size_its_frames_and_a_line_break() {
        assertThat(text(chunk.of(portion("first\n", "second\n"))))
                .isEqualTo("d\r\nfirst\nsecond\n\r\n");
    }

    @Test
    void the_same_frames_are_the_same_chunk_however_much_of_it_was_written() {
        byte[] frame = bytes("frame\n");
        Portion one = new Portion();
        one.add(frame);
        Portion other = new Portion();
        other.add(frame);
        String whole = text(chunk.of(one));
        assertThat(text(chunk.of(other))).isEqualTo(whole);
        chunk.of(other).position(3);
        assertThat(text(chunk.of(one))).isEqualTo(whole);
    }

    @Test
    void other_frames_are_another_chunk() {
        assertThat(text(chunk.of(portion("a\n")))).isEqualTo("2\r\na\n\r\n");
        assertThat(text(chunk.of(portion("b\n")))).isEqualTo("2\r\nb\n\r\n");
        assertThat(text(chunk.of(portion("b\n", "a\n")))).isEqualTo("4\r\nb\na\n\r\n");
        assertThat(text(chunk.of(portion("b\n")))).isEqualTo("2\r\nb\n\r\n");
    }

    @Test
    void an_object_of_any_size_has_room() {
        String large = "x".repeat(3 << 20);
        assertThat(text(chunk.of(portion(large)))).isEqualTo("300000\r\n" + large + "\r\n");
        assertThat(text(chunk.of(portion("a\n")))).isEqualTo("2\r\na\n\r\n");
    }

    @Test
    void a_portion_is_full_with_the_frame_that_passes_its_limit() {
        Portion portion = portion("x".repeat(Portion.FULL - 1));
        assertThat(portion.isFull()).isFalse();
        portion.add(bytes("\n"));
        assertThat(portion.isFull()).isTrue();
        assertThat(portion.events()).isEqualTo(2);
        assertThat(portion.bytes()).isEqualTo(Portion.FULL);
    }

    @Test
    void a_sign_of_life_is_no_event() {
        assertThat(Portion.sign(bytes(":\n")).events()).isZero();
    }

    private static Portion portion(String... frames) {
        Portion portion = new Portion();
        for (String frame : frames) {
            portion.add(bytes(frame));
        }
        return portion;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static String text(ByteBuffer buffer) {
        return StandardCharsets.US_ASCII.decode(buffer).toString();
    }
}
