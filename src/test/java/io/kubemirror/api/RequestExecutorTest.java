package io.kubemirror.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import module java.base;

import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.api.http.Exchange;
import io.kubemirror.api.http.ParsedRequest;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestMeters;
import io.kubemirror.api.http.RequestTracker;
import io.kubemirror.api.watch.WatchConnection;
import io.kubemirror.model.MemoryBudget;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/** Tests what answers to requests are charged to. */
class RequestExecutorTest {

    private static final RequestExecutor.Answer NOTHING = _ -> Optional.empty();

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ClientMemory memory = ClientMemory.of(MemoryBudget.of(ClientMemory.RESPONSE));

    private final RequestTracker open = new RequestTracker();

    private final RequestExecutor executor =
            new RequestExecutor(Runnable::run, open, memory, registry);

    @Test
    void request_without_memory_for_its_response_gets_429_and_is_counted() throws Exception {
        Exchange exchange = exchange();
        executor.run(exchange, 2 * ClientMemory.RESPONSE, NOTHING);

        assertThat(exchange.response().getStatus()).isEqualTo(429);
        assertThat(refused()).isEqualTo(1);
    }

    @Test
    void request_that_needs_more_memory_than_there_is_gets_429_and_is_counted() throws Exception {
        int most = (int) memory.responses().limit();
        Exchange list = exchange("/api/v1/namespaces/a/pods", memory);

        Rejection rejection =
                catchThrowableOfType(
                        Rejection.class,
                        () -> executor.charge(list, most, one -> executor.charge(one, 1, NOTHING)));

        assertThat(rejection.reply().code()).isEqualTo(429);
        assertThat(refused()).isEqualTo(1);
        assertThat(memory.responses().used()).isZero();
        executor.charge(list, most, NOTHING);
        assertThat(memory.responses().used()).isZero();
    }

    @Test
    void slow_readers_of_lists_leave_memory_for_small_answers() throws Exception {
        ClientMemory memory = ClientMemory.of(MemoryBudget.of(20L << 20));
        RequestExecutor executor =
                new RequestExecutor(Runnable::run, new RequestTracker(), memory, registry);
        assertThat(memory.responses().tryAcquire(memory.responses().limit())).isTrue();
        String pods = "/api/v1/namespaces/a/pods";

        Exchange list = exchange(pods, memory);
        executor.run(list, ClientMemory.RESPONSE, NOTHING);
        AtomicLong during = new AtomicLong();
        executor.run(
                exchange(pods + "/x", memory),
                ClientMemory.RESPONSE,
                _ -> {
                    during.set(memory.all().used() - memory.responses().limit());
                    return Optional.empty();
                });

        assertThat(list.response().getStatus()).isEqualTo(429);
        assertThat(during).hasValue(ClientMemory.RESPONSE);
        assertThat(memory.all().used()).isEqualTo(memory.responses().limit());
    }

    @Test
    void request_whose_answer_fails_gets_500_and_leaves_no_charge() throws Exception {
        Exchange exchange = exchange();
        executor.run(exchange, 1024, RequestExecutorTest::fail);

        assertThat(exchange.response().getStatus()).isEqualTo(500);
        assertThat(open.inProgress()).isZero();
        assertThat(memory.responses().used()).isZero();
    }

    private static Optional<WatchConnection> fail(Exchange exchange) {
        throw new LinkageError("for a test of " + exchange.parsed().path());
    }

    private double refused() {
        return registry.get("kubemirror.requests.refused").counter().count();
    }

    private Exchange exchange() {
        return exchange("/api/v1/namespaces/a/pods/x", memory);
    }

    private Exchange exchange(String target, ClientMemory memory) {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", target);
        return new Exchange(
                request,
                new MockHttpServletResponse(),
                ParsedRequest.of(request),
                new RequestMeters(registry, () -> 0).begin(),
                memory);
    }
}
