package io.kubemirror.reflector;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.model.DurationRange;
import io.kubemirror.reflector.ReflectorSettings.ReflectorTimeouts;
import io.kubemirror.reflector.ReflectorSettings.RetrySettings;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.ReflectorSettings.WatchForm;
import io.kubemirror.reflector.ReflectorState.BackingOff;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.StoredFields;
import io.kubemirror.testing.ReflectorEnvironments;

import org.junit.jupiter.api.Test;

/** Values other than the defaults make a difference. */
class ReflectorSettingsTest extends StateMachineHarness {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    private Strategy strategy = Strategy.LIST_WATCH;
    private WatchForm watches = ReflectorEnvironments.watches();
    private RetrySettings retry = ReflectorEnvironments.retries();
    private Duration missingRetry = Duration.ofSeconds(30);

    private void configure() {
        ReflectorTimeouts timeouts =
                new ReflectorTimeouts(Duration.ZERO, Duration.ZERO, missingRetry, retry);
        ReflectorSettings settings =
                new ReflectorSettings(
                        strategy, 500, StoredFields.ALL, List.of(), watches, timeouts);
        machine = new StateMachine(api, writer, settings, reflectorEnvironment(), counts);
    }

    /** The delay after a failure doubles and is scattered (list-watch.md#bo-1). */
    @Test
    void retry_delays_begin_at_the_base_delay_and_end_at_the_maximum() {
        retry = new RetrySettings(Duration.ofSeconds(10), Duration.ofSeconds(20), MINUTE, 5);
        configure();

        assertThat(failedDiscovery()).isBetween(Duration.ofSeconds(10), Duration.ofSeconds(20));
        for (int i = 0; i < 3; i++) {
            assertThat(failedDiscovery()).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(40));
        }
    }

    /** The delay starts over after some time without a failure (list-watch.md#bo-1). */
    @Test
    void retry_delay_is_reset_after_the_configured_time() {
        retry = new RetrySettings(Duration.ofSeconds(1), MINUTE, Duration.ofSeconds(10), 5);
        configure();
        for (int i = 0; i < 5; i++) {
            failedDiscovery();
        }
        assertThat(failedDiscovery()).isGreaterThan(Duration.ofSeconds(30));

        now = now.plusSeconds(9);
        assertThat(failedDiscovery()).isGreaterThan(Duration.ofSeconds(30));
        now = now.plusSeconds(11);
        assertThat(failedDiscovery()).isLessThan(Duration.ofSeconds(3));
    }

    /** Fails, waits, and returns the wait. */
    private Duration failedDiscovery() {
        api.discovers(refused(500, "InternalError"));
        BackingOff resting = resting(step(RESOLVING));
        step(resting);
        return resting.delay();
    }

    /** After some failures at one revision, none is sent (list-watch.md#bo-5). */
    @Test
    void second_failure_drops_the_revision_if_two_errors_make_it_suspect() {
        retry = new RetrySettings(Duration.ofMillis(800), MINUTE, MINUTE, 2);
        configure();
        synced(120);
        ReflectorState cached = resynchronizing;
        api.lists(refused(500, "InternalError")).lists(refused(500, "InternalError"));

        BackingOff first = resting(run(cached, 3));
        assertThat(first.next()).isEqualTo(cached);
        ReflectorState again = step(first);
        now = now.plusSeconds(5);
        BackingOff second = resting(run(again, 3));
        assertThat(second.next()).isEqualTo(synchronizing);
    }

    /** A watch asks for a random duration (list-watch.md#up-9). */
    @Test
    void watch_timeouts_are_drawn_from_the_range() {
        watches =
                new WatchForm(
                        new DurationRange(Duration.ofSeconds(20), Duration.ofSeconds(30)), true);
        configure();
        for (int i = 0; i < 20; i++) {
            openWatch();
        }

        assertThat(api.watches)
                .extracting(WatchRequest::timeout)
                .allMatch(timeout -> timeout.toSeconds() >= 20 && timeout.toSeconds() <= 30)
                .anyMatch(
                        timeout ->
                                timeout.toSeconds()
                                        != api.watches.getFirst().timeout().toSeconds());
    }

    private WatchRequest openWatch() {
        synced(120);
        api.streams();
        step(opening);
        return api.watches.getLast();
    }

    @Test
    void bookmarks_are_requested_as_configured() {
        configure();
        assertThat(openWatch().bookmarks()).isTrue();

        watches = new WatchForm(watches.timeout(), false);
        configure();
        assertThat(openWatch().bookmarks()).isFalse();
    }

    /** Initial events end with a bookmark. */
    @Test
    void watch_lists_are_not_tried_without_bookmarks() {
        strategy = Strategy.AUTO;
        watches = new WatchForm(watches.timeout(), false);
        configure();
        api.listsPage(120, null);

        run(synchronizing, 3);
        assertThat(api.lists).hasSize(1);
        assertThat(api.watches).isEmpty();
    }
}
