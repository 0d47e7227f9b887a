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
import io.kubemirror.api.server.ConnectionLimiter;
import io.kubemirror.api.server.ConnectionLimiter.ConnectionMeters;
import io.kubemirror.model.MemoryBudget;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/** Tests how requests that may wait are started. */
class RequestExecutorTest {

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final ClientMemory memory =
            ClientMemory.of(MemoryBudget.ofProcess(ClientMemory.RESPONSE));

    @Test
    void request_without_memory_for_its_response_gets_429_and_is_counted() {
        ConnectionMeters meters = new ConnectionMeters();
        meters.bindTo(registry);
        RequestExecutor executor =
                new RequestExecutor(Runnable::run, new RequestTracker(), memory, meters);

        Rejection rejection =
                catchThrowableOfType(
                        Rejection.class,
                        () ->
                                executor.start(
                                        exchange(), ClientMemory.RESPONSE, _ -> Optional.empty()));

        assertThat(rejection.reply().code()).isEqualTo(429);
        assertThat(refused("response")).isEqualTo(1);
        assertThat(refused("memory")).isZero();
    }

    @Test
    void request_that_needs_more_memory_than_there_is_gets_429_and_is_counted() throws Exception {
        ConnectionMeters meters = new ConnectionMeters();
        meters.bindTo(registry);
        RequestExecutor executor =
                new RequestExecutor(Runnable::run, new RequestTracker(), memory, meters);
        int most = (int) memory.responses().limit();

        Rejection rejection =
                catchThrowableOfType(
                        Rejection.class,
                        () ->
                                executor.answer(
                                        exchange(),
                                        most,
                                        one -> executor.answer(one, 1, _ -> Optional.empty())));

        assertThat(rejection.reply().code()).isEqualTo(429);
        assertThat(refused("response")).isEqualTo(1);
        assertThat(memory.responses().used()).isZero();
        assertThat(executor.answer(exchange(), most, _ -> Optional.empty())).isEmpty();
    }

    @Test
    void slow_readers_of_lists_leave_memory_for_small_answers() throws Exception {
        ClientMemory memory = ClientMemory.of(MemoryBudget.ofProcess(20L << 20));
        RequestExecutor executor =
                new RequestExecutor(
                        Runnable::run, new RequestTracker(), memory, new ConnectionMeters());
        assertThat(memory.responses().tryAcquire(memory.responses().limit())).isTrue();
        String pods = "/api/v1/namespaces/a/pods";

        Rejection list =
                catchThrowableOfType(
                        Rejection.class,
                        () ->
                                executor.start(
                                        exchange(pods, memory),
                                        ClientMemory.RESPONSE,
                                        _ -> Optional.empty()));
        AtomicLong during = new AtomicLong();
        executor.start(
                exchange(pods + "/x", memory),
                ClientMemory.RESPONSE,
                _ -> {
                    during.set(memory.small().used());
                    return Optional.empty();
                });

        assertThat(list.reply().code()).isEqualTo(429);
        assertThat(during).hasValue(ClientMemory.RESPONSE);
        assertThat(memory.small().used()).isZero();
    }

    /** A mock of Jetty completes no request. */
    @Test
    void charge_of_a_stream_is_released_when_it_has_been_answered() throws Exception {
        RequestExecutor executor =
                new RequestExecutor(
                        Runnable::run, new RequestTracker(), memory, new ConnectionMeters());
        Exchange exchange = exchange();
        AtomicInteger released = new AtomicInteger();
        exchange.request()
                .setAttribute(
                        ConnectionLimiter.class.getName(), (Runnable) released::incrementAndGet);

        executor.start(
                exchange,
                0,
                _ -> {
                    assertThat(released).hasValue(0);
                    return Optional.empty();
                });

        assertThat(released).hasValue(1);
    }

    private double refused(String reason) {
        return registry.get("kubemirror.connections.refused")
                .tag("reason", reason)
                .functionCounter()
                .count();
    }

    private Exchange exchange() {
        return exchange("/api/v1/namespaces/a/pods/x", memory);
    }

    private Exchange exchange(String target, ClientMemory memory) {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", target);
        request.setAsyncSupported(true);
        return new Exchange(
                request,
                new MockHttpServletResponse(),
                ParsedRequest.of(request),
                Duration.ZERO,
                new RequestMeters(registry, () -> 0).begin(),
                memory);
    }
}
