package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.read.ReadPolicy;
import io.kubemirror.api.read.ReadPolicy.ReadMode;
import io.kubemirror.api.read.ReadPolicy.ReadPolicies;
import io.kubemirror.kube.PassThroughApi.PassedResponse;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.source.Result;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The memory of a response that cannot be read. */
@Timeout(60)
class ProxiedMemoryTest {

    private static final String PODS = "/api/v1/pods";

    /** A body, and how often it has been closed. */
    private static final class CountedBody extends ByteArrayInputStream {

        private final AtomicInteger closed = new AtomicInteger();

        CountedBody() {
            super(new byte[] {'{', '}'});
        }

        @Override
        public void close() {
            closed.incrementAndGet();
        }
    }

    @Test
    void body_that_is_not_what_its_encoding_says_is_refused_and_its_memory_returned_once() {
        MemoryBudget clients = MemoryBudget.ofProcess(1 << 28);
        ClientMemory memory = ClientMemory.of(clients);
        FakeForwardingApi server = new FakeForwardingApi();
        CountedBody body = new CountedBody();
        server.answers(_ -> encoded(body));
        server.isAt(900);
        Map<String, Object> beans =
                Map.of(
                        "server",
                        server,
                        "memory",
                        memory,
                        "policies",
                        (ReadPolicies) _ -> new ReadPolicy.Whole(ReadMode.VERIFY, null));
        try (ApiFixture served = ApiFixture.golden(beans)) {

            assertThat(served.client().get(PODS, "Accept-Encoding", "gzip").statusCode())
                    .isEqualTo(503);
            assertThat(body.closed).hasPositiveValue();
            Awaitility.await().untilAsserted(() -> assertThat(memory.proxied().used()).isZero());
        }
    }

    private static Result<PassedResponse> encoded(InputStream body) {
        return FakeForwardingApi.answer(200, Map.of("Content-Encoding", List.of("gzip")), body);
    }
}
