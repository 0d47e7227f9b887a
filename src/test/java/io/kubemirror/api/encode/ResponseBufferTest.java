package io.kubemirror.api.encode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import io.kubemirror.api.encode.ResponseWriter.ResponseBuffer;
import io.kubemirror.api.http.MinimumRate;
import io.kubemirror.model.MemoryBudget;

import org.junit.jupiter.api.Test;

class ResponseBufferTest {

    private static final int MORE = ResponseBuffer.LARGE - ResponseBuffer.SMALL;

    private final List<Integer> writes = new ArrayList<>();
    private final ByteArrayOutputStream sent = new ByteArrayOutputStream();
    private long now;
    private long duration;

    @Test
    void fast_client_gets_large_writes_and_slow_client_small_writes() throws IOException {
        MemoryBudget budget = MemoryBudget.ofProcess(MORE);
        try (ResponseBuffer buffer = buffer(budget)) {
            buffer.write(new byte[2 * ResponseBuffer.LARGE]);
            assertThat(budget.used()).isEqualTo(MORE);
            duration = 1_000_000_000;
            buffer.write(new byte[2 * ResponseBuffer.LARGE]);
            assertThat(budget.used()).isZero();
        }
        assertThat(writes).startsWith(ResponseBuffer.SMALL, ResponseBuffer.LARGE);
        assertThat(writes.getLast()).isEqualTo(ResponseBuffer.SMALL);
    }

    @Test
    void exhausted_budget_keeps_writes_small_and_complete() throws IOException {
        byte[] body = new byte[100_000];
        for (int i = 0; i < body.length; i++) {
            body[i] = (byte) i;
        }
        try (ResponseBuffer buffer = buffer(MemoryBudget.ofProcess(MORE - 1))) {
            buffer.write(body[0]);
            buffer.write(body, 1, body.length - 1);
            buffer.flush();
        }
        assertThat(writes).allMatch(size -> size <= ResponseBuffer.SMALL);
        assertThat(sent.toByteArray()).isEqualTo(body);
    }

    @Test
    void a_client_that_reads_next_to_nothing_is_disconnected() throws IOException {
        duration = ResponseBuffer.SMALL * 1_000_000_000L / MinimumRate.RATE;
        byte[] piece = new byte[ResponseBuffer.SMALL];
        try (ResponseBuffer buffer = buffer(MemoryBudget.ofProcess(0))) {
            for (int i = 0; i < 200; i++) {
                buffer.write(piece);
            }
            duration *= 2;
            assertThatThrownBy(
                            () -> {
                                for (int i = 0; i < 200; i++) {
                                    buffer.write(piece);
                                }
                            })
                    .isInstanceOf(IOException.class);
        }
        assertThat(writes).hasSizeBetween(255, 265);
    }

    @Test
    void closed_response_buffer_returns_its_budget() throws IOException {
        MemoryBudget budget = MemoryBudget.ofProcess(MORE);
        ResponseBuffer buffer = buffer(budget);
        buffer.write(new byte[ResponseBuffer.LARGE]);
        buffer.close();
        buffer.close();
        assertThat(budget.used()).isZero();
    }

    private ResponseBuffer buffer(MemoryBudget budget) {
        ByteArrayOutputStream out =
                new ByteArrayOutputStream() {
                    @Override
                    public synchronized void write(byte[] bytes, int offset, int length) {
                        writes.add(length);
                        sent.write(bytes, offset, length);
                        now += duration;
                    }
                };
        return new ResponseBuffer(out, budget, () -> now);
    }
}
