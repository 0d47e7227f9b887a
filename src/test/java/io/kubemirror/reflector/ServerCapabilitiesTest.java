package io.kubemirror.reflector;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.reflector.ReflectorSettings.Strategy;

import org.junit.jupiter.api.Test;

/** Tests what operators see of the capabilities that {@code auto} has learned. */
class ServerCapabilitiesTest {

    private Instant now = Instant.parse("2026-03-01T10:00:00Z");
    private final ServerCapabilities capabilities =
            new ServerCapabilities(StateMachineHarness.settings(Strategy.AUTO), () -> now);

    @Test
    void capabilities_are_empty_before_the_first_failure() {
        assertThat(capabilities.describe()).isEmpty();
    }

    @Test
    void missing_watch_list_support_is_reported_until_the_next_attempt() {
        capabilities.streamRefused();
        assertThat(capabilities.describe()).isEmpty();

        capabilities.streamRefused();
        assertThat(capabilities.describe())
                .containsExactly(
                        "the server does not serve watch-lists; next attempt"
                                + " after 2026-03-01T11:00:00Z");

        now = now.plus(Duration.ofHours(1));
        assertThat(capabilities.describe()).isEmpty();
    }

    @Test
    void expired_lists_and_rejected_watches_are_reported() {
        capabilities.listExpired();
        capabilities.watchRefused();

        assertThat(capabilities.describe())
                .containsExactly(
                        "the server does not allow watches of this resource; next attempt after"
                                + " 2026-03-01T11:00:00Z",
                        "a list took longer than the server keeps its revision; a watch runs in"
                                + " parallel");
    }
}
