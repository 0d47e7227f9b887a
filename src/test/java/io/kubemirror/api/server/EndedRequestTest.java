package io.kubemirror.api.server;

import static org.eclipse.jetty.ee11.servlet.ServletChannelState.State.IDLE;
import static org.eclipse.jetty.ee11.servlet.ServletChannelState.State.WAITING;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.http.ClientMemory;
import io.kubemirror.model.MemoryBudget;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.testing.WaitLimit;

import jakarta.servlet.Filter;

import org.eclipse.jetty.ee11.servlet.ServletChannelState;
import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A watch whose request Jetty ends while the watch opens leaves nothing behind. */
@Timeout(50)
class EndedRequestTest {

    private static final int WIDE = 1 << 20;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api/v1/pods?watch=1&resourceVersion=100",
                "/api/v1/pods?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                        + "&allowWatchBookmarks=true",
                "/kubemirror/v1/watch?resource=pods&resource=nodes"
            })
    void leaves_no_subscription_and_no_charge(String path) throws InterruptedException {
        CountDownLatch opening = new CountDownLatch(1);
        AtomicReference<ServletContextRequest> watched = new AtomicReference<>();
        // A watch draws its duration while it opens.
        RandomGenerator random =
                () -> {
                    if (watched.get() != null) {
                        opening.countDown();
                        WaitLimit.until(() -> state(watched.get()) == IDLE);
                    }
                    return 0;
                };
        Filter observer =
                (request, response, chain) -> {
                    watched.set(ServletContextRequest.getServletContextRequest(request));
                    chain.doFilter(request, response);
                };
        ClientMemory memory = ClientMemory.of(MemoryBudget.of(100_000_000));
        try (ApiFixture served =
                        serving(Map.of("random", random, "observer", observer, "few", memory));
                FrameClient client = FrameClient.to(served.port(), WIDE)) {
            long before = memory.responses().used();
            client.get(1, path);
            opening.await();
            // Jetty ends the request of a client that is gone, unless it still handles it.
            WaitLimit.until(() -> state(watched.get()) == WAITING);
            client.cancel(1);
            WaitLimit.until(() -> state(watched.get()) == IDLE);
            WaitLimit.until(
                    () ->
                            memory.responses().used() == before
                                    && !served.writer(0).mirror().hasReaders()
                                    && !served.writer(1).mirror().hasReaders()
                                    && served.watcherInfos().isEmpty()
                                    && served.openWatches() == 0);
        }
    }

    private static ApiFixture serving(Map<String, Object> beans) {
        ApiFixture served =
                ApiFixture.of(beans, new String[] {"pods", "nodes"}, "--server.http2.enabled=true");
        served.writer(0).identify(ApiSamples.PODS, DeclaredFields.NONE);
        served.writer(1).identify(ApiSamples.NODES, DeclaredFields.NONE);
        ApiSamples.synchronize(served.writer(0), 100);
        ApiSamples.synchronize(served.writer(1), 100);
        return served;
    }

    private static ServletChannelState.State state(ServletContextRequest request) {
        return request.getServletChannel().getServletRequestState().getState();
    }
}
