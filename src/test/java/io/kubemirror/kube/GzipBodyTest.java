package io.kubemirror.kube;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import org.junit.jupiter.api.Test;

/** Tests bodies of many gzip members. */
class GzipBodyTest {

    private static byte[] member(String content) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(content.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }

    private static InputStream body(int empty) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(member("begin "));
        byte[] nothing = member("");
        for (int i = 0; i < empty; i++) {
            bytes.write(nothing);
        }
        bytes.write(member("end"));
        return new GzipBody(new ByteArrayInputStream(bytes.toByteArray()));
    }

    @Test
    void members_are_one_content() throws IOException {
        assertThat(body(GzipBody.MAX_EMPTY / 2)).hasContent("begin end");
    }

    @Test
    void very_many_members_without_content_are_an_error() throws IOException {
        InputStream body = body(200_000);

        assertThatThrownBy(body::readAllBytes).isInstanceOf(ZipException.class);
    }
}
