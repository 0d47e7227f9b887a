package io.kubemirror.api.encode;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.encode.DocumentEncoder.EntityTag;
import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ParsedRequest;
import io.kubemirror.api.http.RequestMeters;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.testing.Unchecked;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.DelegatingServletOutputStream;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/** Tests what clients share that request the same large document while it is being sent. */
class ResponseWriterTest {

    private static final int LINES = 400;
    private static final int LINE = 1_000;
    private static final EntityTag TAG = new EntityTag("list", true);

    private final MemoryBudget process = MemoryBudget.ofProcess(64 << 20);
    private ClientMemory memory = ClientMemory.of(process);
    private SharedBodies bodies = new SharedBodies(memory);
    private final byte[] body = new byte[LINES * LINE];

    /** Without the passes that only measure. */
    private int encoded;

    private long mostCompressors;

    ResponseWriterTest() {
        new Random(1).nextBytes(body);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "gzip"})
    void clients_that_join_share_one_encoding(String coding) throws IOException {
        byte[] alone = send(coding, TAG, () -> {});
        assertThat(encoded).isOne();
        Nested third = new Nested(coding, () -> {});
        Nested second = new Nested(coding, third);

        assertThat(send(coding, TAG, second)).isEqualTo(alone).isEqualTo(body);

        assertThat(second.received).isEqualTo(alone);
        assertThat(third.received).isEqualTo(alone);
        assertThat(encoded).as("alone, the first, and the others").isEqualTo(3);
        assertThat(process.used()).isZero();
    }

    @Test
    void client_that_wants_the_other_coding_shares_nothing() throws IOException {
        Nested compressed = new Nested("gzip", () -> {});
        byte[] plain = send("", TAG, compressed);
        assertThat(compressed.received).isEqualTo(plain);
        assertThat(encoded).isEqualTo(2);
    }

    @Test
    void compressor_of_a_shared_body_is_charged() throws IOException {
        Nested second = new Nested("gzip", this::noteCompressors);
        byte[] first = send("gzip", TAG, second);
        assertThat(second.received).isEqualTo(first);
        assertThat(mostCompressors).as("one each").isGreaterThanOrEqualTo(2);
        assertThat(process.used()).isZero();
    }

    @Test
    void client_gets_the_document_without_memory_for_a_compressor() throws IOException {
        memory = ClientMemory.of(MemoryBudget.ofProcess(200_000));
        bodies = new SharedBodies(memory);
        Nested second = new Nested("gzip", () -> {});
        byte[] first = send("gzip", TAG, second);
        assertThat(first).isEqualTo(body);
        assertThat(second.received).isEqualTo(first);
        assertThat(memory.responses().used()).isZero();
    }

    @Test
    void tag_that_is_not_sent_is_shared_but_neither_shown_nor_compared() throws IOException {
        EntityTag second = TAG.unsent();
        MockHttpServletRequest request = request("");
        request.addHeader("If-None-Match", second.header(false));
        MockHttpServletResponse headers = new MockHttpServletResponse();
        ResponseWriter.send(this::begin, false, second, exchange(request, headers), bodies);
        assertThat(headers.getStatus()).isEqualTo(HttpServletResponse.SC_OK);
        assertThat(headers.getHeader("ETag")).isNull();
        assertThat(headers.getContentAsByteArray()).isEqualTo(body);
    }

    private void noteCompressors() {
        mostCompressors =
                Math.max(mostCompressors, memory.responses().used() / ResponseWriter.COMPRESSION);
    }

    /** A client that joins with the first write to another one. */
    private final class Nested implements Runnable {

        private final String coding;
        private final Runnable then;
        private byte[] received = {};

        Nested(String coding, Runnable then) {
            this.coding = coding;
            this.then = then;
        }

        @Override
        public void run() {
            received = Unchecked.call(() -> send(coding, TAG, then));
        }
    }

    /** Sends the document to a client, and returns what it has received. */
    private byte[] send(String coding, EntityTag tag, Runnable atFirstWrite) throws IOException {
        ByteArrayOutputStream received = new ByteArrayOutputStream();
        MockHttpServletResponse headers = new MockHttpServletResponse();
        ServletOutputStream out =
                new DelegatingServletOutputStream(
                        new OutputStream() {
                            private boolean begun;

                            @Override
                            public void write(int b) {
                                write(new byte[] {(byte) b}, 0, 1);
                            }

                            @Override
                            public void write(byte[] bytes, int offset, int length) {
                                received.write(bytes, offset, length);
                                if (!begun) {
                                    begun = true;
                                    atFirstWrite.run();
                                }
                            }
                        });
        HttpServletResponse response =
                new HttpServletResponseWrapper(headers) {
                    @Override
                    public ServletOutputStream getOutputStream() {
                        return out;
                    }
                };
        ResponseWriter.send(this::begin, false, tag, exchange(request(coding), response), bodies);
        if (!"gzip".equals(headers.getHeader("Content-Encoding"))) {
            return received.toByteArray();
        }
        try (InputStream plain =
                new GZIPInputStream(new ByteArrayInputStream(received.toByteArray()))) {
            return plain.readAllBytes();
        }
    }

    private static MockHttpServletRequest request(String coding) {
        MockHttpServletRequest request = new MockHttpServletRequest();
        if (!coding.isEmpty()) {
            request.addHeader("Accept-Encoding", coding);
        }
        return request;
    }

    private Exchange exchange(MockHttpServletRequest request, HttpServletResponse response) {
        return new Exchange(
                request,
                response,
                ParsedRequest.of(request),
                Duration.ZERO,
                new RequestMeters(new SimpleMeterRegistry(), () -> 0).begin(),
                memory);
    }

    private JsonDocument.Steps begin(OutputStream out) {
        return new JsonDocument.Steps() {
            private int lines;

            @Override
            public boolean next() throws IOException {
                out.write(body, lines * LINE, LINE);
                lines++;
                encoded += lines == LINES ? 1 : 0;
                return lines < LINES;
            }
        };
    }
}
