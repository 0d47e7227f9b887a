package io.kubemirror.reflector;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.revision;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.DurationRange;
import io.kubemirror.model.Revision;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorSettings.InitialRevision;
import io.kubemirror.reflector.ReflectorSettings.ReflectorTimeouts;
import io.kubemirror.reflector.ReflectorSettings.RetrySettings;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.ReflectorSettings.WatchForm;
import io.kubemirror.reflector.ReflectorState.BackingOff;
import io.kubemirror.reflector.ReflectorState.Watching;
import io.kubemirror.source.ObjectTransform;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.TypeLookup;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.testing.ReflectorEnvironments;

import org.junit.jupiter.api.Test;

/** Values other than the defaults make a difference. */
class ReflectorSettingsTest extends StateMachineHarness {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration PERIOD = Duration.ofMinutes(3);

    private Strategy strategy = Strategy.LIST_WATCH;
    private InitialRevision initialRevision = InitialRevision.MOST_RECENT;
    private Duration resyncPeriod = Duration.ZERO;
    private WatchForm watches = ReflectorEnvironments.watches();
    private RetrySettings retry = ReflectorEnvironments.retries();
    private Duration minResyncInterval = Duration.ofMillis(500);
    private Duration pollInterval = Duration.ofSeconds(5);
    private Duration missingRetry = Duration.ofSeconds(30);

    private void configure() {
        ReflectorTimeouts timeouts =
                new ReflectorTimeouts(
                        Duration.ZERO,
                        Duration.ofSeconds(30),
                        Duration.ofSeconds(30),
                        Duration.ZERO,
                        minResyncInterval,
                        pollInterval,
                        missingRetry,
                        retry);
        ReflectorSettings settings =
                new ReflectorSettings(
                        strategy,
                        500,
                        ObjectTransform.NONE,
                        List.of(),
                        initialRevision,
                        resyncPeriod,
                        watches,
                        timeouts);
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

    /** The delay starts over after some time without a failure (list-watch.md#bo-2). */
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

    /** A resource is listed at most once per interval (list-watch.md#bo-4). */
    @Test
    void lists_start_the_configured_interval_apart() {
        minResyncInterval = Duration.ofSeconds(3);
        configure();
        ReflectorState start = synchronizing;
        api.listsPage(120, null);
        run(start, 3);

        assertThat(resting(step(start)).delay()).isEqualTo(Duration.ofSeconds(3));
    }

    /** If watches are not allowed, the collection is polled (list-watch.md#up-35). */
    @Test
    void unwatchable_collection_is_listed_at_the_poll_interval() {
        pollInterval = Duration.ofSeconds(7);
        configure();
        synced(120);
        api.answersWatch(refused(405, "MethodNotAllowed"));

        assertThat(resting(step(opening)).delay()).isEqualTo(Duration.ofSeconds(7));
    }

    /** The type has no watch verb in discovery, so no watch is even tried. */
    @Test
    void type_without_the_watch_verb_is_polled_and_its_differences_applied() {
        strategy = Strategy.AUTO;
        configure();
        api.discovers(Result.of(new TypeLookup.Found(PODS, false)))
                .listsPage(120, null, object("a/x", 110), object("a/y", 111))
                .listsPage(130, null, object("a/y", 111), object("a/z", 125));

        ReflectorState polling = run(RESOLVING, 4);
        assertThat(resting(polling).delay()).isEqualTo(Duration.ofSeconds(5));
        assertThat(mirror.upstream().phase()).isEqualTo(Phase.POLLING);
        run(polling, 4);

        assertThat(api.watches).isEmpty();
        assertThat(mirror.revision()).isEqualTo(revision(130));
        assertThat(counts.get(Counter.RESYNCS_BRIDGED)).isOne();
        // A deletion and an addition, but not the object that is the same.
        assertThat(counts.get(Counter.RESYNC_CHANGES)).isEqualTo(2);
    }

    @Test
    void missing_type_is_looked_up_at_the_configured_interval() {
        missingRetry = Duration.ofSeconds(90);
        configure();
        api.discovers(Result.of(new TypeLookup.Unknown(List.of())));

        assertThat(resting(step(RESOLVING)).delay()).isEqualTo(Duration.ofSeconds(90));
    }

    /** A watch asks for a random duration (list-watch.md#up-9). */
    @Test
    void watch_timeouts_are_drawn_from_the_range() {
        watches =
                new WatchForm(
                        new DurationRange(Duration.ofSeconds(20), Duration.ofSeconds(30)),
                        true,
                        Duration.ZERO);
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

    @Test
    void single_watch_timeout_is_requested_by_every_watch() {
        watches = new WatchForm(new DurationRange(PERIOD, PERIOD), true, Duration.ZERO);
        configure();
        openWatch();

        assertThat(openWatch().timeout()).isEqualTo(PERIOD);
        assertThat(openWatch().silence()).isEqualTo(PERIOD.plusSeconds(5));
    }

    private WatchRequest openWatch() {
        synced(120);
        api.streams();
        step(opening);
        return api.watches.getLast();
    }

    @Test
    void bookmarks_and_their_interval_are_requested_as_configured() {
        configure();
        assertThat(openWatch().bookmarks()).isTrue();
        assertThat(openWatch().bookmarkInterval()).isZero();

        watches = new WatchForm(watches.timeout(), false, Duration.ofSeconds(4));
        configure();
        assertThat(openWatch().bookmarks()).isFalse();
        assertThat(openWatch().bookmarkInterval()).isEqualTo(Duration.ofSeconds(4));
    }

    /** Initial events end with a bookmark. */
    @Test
    void watch_lists_are_not_tried_without_bookmarks() {
        strategy = Strategy.AUTO;
        watches = new WatchForm(watches.timeout(), false, Duration.ZERO);
        configure();
        api.listsPage(120, null);

        run(synchronizing, 3);
        assertThat(api.lists).hasSize(1);
        assertThat(api.watches).isEmpty();
    }

    /** Any state the server has at hand is enough at first (list-watch.md#up-47). */
    @Test
    void first_list_asks_for_any_revision_without_pages() {
        initialRevision = InitialRevision.ANY;
        configure();
        api.discovers(PODS)
                .discovers(PODS)
                .listsPage(120, null, object("a/x", 110))
                .listsPage(130, null);

        run(RESOLVING, 4);
        assertThat(api.lists).containsExactly(new ListRequest(pods, Revision.ZERO, 0, null));

        now = now.plusSeconds(60);
        run(RESOLVING, 4);
        assertThat(api.lists.getLast()).isEqualTo(new ListRequest(pods, null, 500, null));
    }

    /** Readers have seen the content that was dropped. */
    @Test
    void list_after_dropped_content_asks_for_the_most_recent_state() {
        initialRevision = InitialRevision.ANY;
        configure();
        api.discovers(PODS).listsPage(120, null, object("a/x", 110));
        synced(130, object("a/x", 125));
        writer.drop();

        run(RESOLVING, 4);

        assertThat(api.lists).containsExactly(new ListRequest(pods, null, 500, null));
    }

    /** Any state the server has at hand is enough at first (list-watch.md#up-47). */
    @Test
    void first_watch_list_asks_for_any_revision() {
        strategy = Strategy.WATCH_LIST;
        initialRevision = InitialRevision.ANY;
        configure();
        api.discovers(PODS).streams();

        run(RESOLVING, 2);
        assertThat(api.watches.getFirst().revision()).isEqualTo(Revision.ZERO);
        assertThat(api.watches.getFirst().initialEvents()).isTrue();
    }

    @Test
    @TransitionRow("Watching: the resync period is over")
    void busy_watch_is_left_for_a_list_when_the_resync_period_is_over() {
        resyncPeriod = PERIOD;
        configure();
        Watching watching = listed(modified("a/x", 121), modified("a/x", 122));
        assertThat(step(watching)).isInstanceOf(Watching.class);

        now = now.plus(PERIOD.multipliedBy(2));
        assertThat(step(watching)).isEqualTo(synchronizing);
        assertThat(counts.get(Counter.WATCHES_ENDED)).isOne();
        assertThat(counts.get(Counter.WATCHES_FAILED)).isZero();

        api.listsPage(130, null, object("a/z", 125));
        run(synchronizing, 3);
        assertThat(counts.get(Counter.RESYNCS_BRIDGED)).isOne();
    }

    @Test
    void watch_that_ends_with_the_resync_period_leads_to_a_list() {
        resyncPeriod = PERIOD;
        configure();
        Watching watching = listed(ENDED, ENDED);

        assertThat(api.watches.getLast().timeout())
                .isGreaterThanOrEqualTo(PERIOD)
                .isLessThanOrEqualTo(PERIOD.multipliedBy(6).dividedBy(5));
        now = now.plus(MINUTE);
        assertThat(step(watching)).isEqualTo(opening);
        Duration left =
                Duration.between(now, watching.opened().plus(PERIOD.multipliedBy(6).dividedBy(5)));
        assertThat(openWatch().timeout()).isLessThanOrEqualTo(left);

        now = now.plus(PERIOD);
        Watching late = new Watching(pods, watching.stream(), watching.opened(), true);
        assertThat(step(late)).isEqualTo(synchronizing);
    }

    @Test
    void watches_last_as_long_as_they_like_without_a_resync_period() {
        configure();
        Watching watching = listed(modified("a/x", 121), ENDED);
        now = Instant.parse("2030-01-01T00:00:00Z");

        assertThat(run(watching, 2)).isEqualTo(opening);
    }

    /** Synchronizes by a list, and opens a watch with some frames. */
    private Watching listed(WatchFrame... frames) {
        api.listsPage(120, null, object("a/x", 110)).streams(frames);
        ReflectorState watching = run(synchronizing, 4);
        assertThat(watching).isInstanceOf(Watching.class);
        return (Watching) watching;
    }
}
