package io.kubemirror.reflector;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.interleaving.ConcurrentScenario;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** An operator requests the limitations of a server while it is replaced by another version. */
public final class DescribedRefusal implements ConcurrentScenario {

    private static final Instant START = Instant.parse("2026-03-01T10:00:00Z");

    private final FakeSource server = new FakeSource().hasVersion("v1.30");
    private volatile Instant now = START;
    private final ServerCapabilities capabilities =
            new ServerCapabilities(StateMachineHarness.settings(Strategy.AUTO), server, () -> now);

    DescribedRefusal() {
        refuse();
    }

    private void refuse() {
        capabilities.streamRefused();
        capabilities.streamRefused();
    }

    @Override
    public List<Runnable> actors(Spawner spawner) {
        return List.of(this::replaceServer, this::describe);
    }

    private void replaceServer() {
        capabilities.streamed();
        server.hasVersion("v1.31");
        now = START.plus(Duration.ofMinutes(1));
        refuse();
    }

    private void describe() {
        assertThat(capabilities.describe())
                .allMatch(
                        text ->
                                (text.contains("(v1.30)") && text.endsWith("11:00:00Z"))
                                        || (text.contains("(v1.31)")
                                                && text.endsWith("11:01:00Z")));
    }

    @Override
    public void verify() {
        describe();
        assertThat(capabilities.describe()).hasSize(1);
    }
}
