package io.kubemirror.feature.page;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.interleaving.ConcurrentScenario;

import jakarta.servlet.AsyncContext;

import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.support.StaticApplicationContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/** A page opens a stream while the process shuts down: the stream ends. */
public final class LateStream implements ConcurrentScenario {

    /** Only a stream that does not end takes it. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final ContextClosedEvent CLOSED =
            new ContextClosedEvent(new StaticApplicationContext());

    private final StreamSessions sessions = new StreamSessions();
    private final CountDownLatch ended = new CountDownLatch(1);

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::open, () -> sessions.onApplicationEvent(CLOSED));
    }

    private void open() {
        MockHttpServletResponse response = new MockHttpServletResponse();
        MockHttpServletRequest request =
                new MockHttpServletRequest() {
                    @Override
                    public AsyncContext startAsync() {
                        return startAsync(this, response);
                    }
                };
        request.setAsyncSupported(true);
        try {
            sessions.show(request, response, _ -> streamForever());
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private void streamForever() throws InterruptedException {
        try {
            new CountDownLatch(1).await();
        } finally {
            ended.countDown();
        }
    }

    @Override
    public void verify() {
        try {
            assertThat(ended.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS))
                    .as("the server does not wait for the stream")
                    .isTrue();
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
