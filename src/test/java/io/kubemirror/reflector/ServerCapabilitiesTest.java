package io.kubemirror.reflector;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;

/** What an operator is told of the way that {@code auto} takes. */
class ServerCapabilitiesTest {

    private Instant now = Instant.parse("2026-03-01T10:00:00Z");
    private final ServerCapabilities capabilities =
            new ServerCapabilities(
                    Strategy.AUTO, new FakeUpstreamApi().hasVersion("v1.30.2"), () -> now);

    @Test
    void at_first_there_is_nothing_to_tell() {
        assertThat(capabilities.describe()).isEmpty();
    }

    @Test
    void a_server_without_watch_lists_is_named_until_it_is_asked_again() {
        capabilities.streamRefused();
        assertThat(capabilities.describe()).isEmpty();

        capabilities.streamRefused();
        assertThat(capabilities.describe())
                .containsExactly(
                        "the server (v1.30.2) did not serve watch-lists, which are therefore not"
                                + " asked for until 2026-03-01T11:00:00Z");

        now = now.plus(Duration.ofHours(1));
        assertThat(capabilities.describe()).isEmpty();
    }

    @Test
    void lists_that_take_too_long_and_watches_that_are_not_allowed_are_told() {
        capabilities.listExpired();
        capabilities.watchRefused();

        assertThat(capabilities.describe())
                .containsExactly(
                        "the server allows no watch of it; asked again after 2026-03-01T11:00:00Z",
                        "a list took longer than the server remembers, so a watch runs beside it");
    }
}
