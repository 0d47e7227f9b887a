package io.kubemirror.api.encode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ParsedRequest;
import io.kubemirror.api.http.RequestMeters;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
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
    private static final String TAG = "list";

    private final MemoryBudget process = MemoryBudget.of(64 << 20);
    private ClientMemory memory = ClientMemory.of(process);
    private SharedBodies bodies = new SharedBodies(memory);
    private final List<KubeObject> lines = new ArrayList<>();
    private final byte[] body;

    /** Without the passes that only measure. */
    private int encoded;

    private long mostCompressors;

    ResponseWriterTest() {
        Random random = new Random(1);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < LINES; i++) {
            byte[] line = new byte[LINE];
            random.nextBytes(line);
            all.writeBytes(i == 0 ? new byte[0] : new byte[] {','});
            all.writeBytes(line);
            KubeObject.Span nowhere = new KubeObject.Span(0, 0);
            lines.add(
                    new KubeObject(
                            ObjectKey.of("a", "line-" + i),
                            "",
                            Revision.ZERO,
                            Map.of(),
                            Map.of(),
                            line,
                            nowhere,
                            nowhere));
        }
        body = all.toByteArray();
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
        memory = ClientMemory.of(MemoryBudget.of(200_000));
        bodies = new SharedBodies(memory);
        Nested second = new Nested("gzip", () -> {});
        byte[] first = send("gzip", TAG, second);
        assertThat(first).isEqualTo(body);
        assertThat(second.received).isEqualTo(first);
        assertThat(memory.responses().used()).isZero();
    }

    @Test
    void client_that_reads_next_to_nothing_is_disconnected() throws IOException {
        byte[] piece = new byte[16 * 1024];
        long[] now = {0, piece.length * 1_000_000_000L / ClientMemory.MIN_RATE};
        OutputStream out =
                new ResponseWriter.RatedOutput(
                        OutputStream.nullOutputStream(), () -> now[0] += now[1]);
        for (int i = 0; i < 200; i++) {
            out.write(piece);
        }
        now[1] *= 2;
        assertThatThrownBy(
                        () -> {
                            for (int i = 0; i < 200; i++) {
                                out.write(piece);
                            }
                        })
                .isInstanceOf(IOException.class);
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
    private byte[] send(String coding, String tag, Runnable atFirstWrite) throws IOException {
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
        ResponseWriter.send(document(), false, tag, exchange(request(coding), response), bodies);
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
                new RequestMeters(new SimpleMeterRegistry(), () -> 0).begin(),
                memory);
    }

    private JsonDocument document() {
        KubeObject last = lines.getLast();
        return new JsonDocument(
                new byte[0],
                lines,
                (line, out) -> {
                    out.write(line.json());
                    encoded += line.equals(last) ? 1 : 0;
                },
                new byte[0]);
    }
}
