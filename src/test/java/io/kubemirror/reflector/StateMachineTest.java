package io.kubemirror.reflector;

import static io.kubemirror.testing.KubeObjects.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Scope;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.model.Selection;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.ReflectorState.FetchMethod;
import io.kubemirror.reflector.ReflectorState.SyncStart;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ObjectTransform;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.DefinitionApi.ResourceDefinition;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.TypeLookup;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken.BrokenKind;
import io.kubemirror.testing.ReflectorEnvironments;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;

/**
 * Tests the rows of the table in {@code src/docs/reflector.md}, one transition per test, on a clock
 * that the test moves.
 */
class StateMachineTest extends StateMachineHarness {

    private static final WatchFrame SILENCE = new WatchFrame.Broken("silent", BrokenKind.SILENT);

    @Test
    @TransitionRow("Resolving: type found")
    void discovered_type_is_published_and_synchronized() {
        api.discovers(Result.of(new TypeLookup.Found(PODS)));

        assertThat(step(new ReflectorState.Resolving()))
                .isEqualTo(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT));
        assertThat(mirror.type()).contains(PODS);
    }

    @Test
    void selectable_fields_of_a_custom_resource_definition_are_used() {
        SelectableField size = SelectableField.at(".spec.size");
        api.discovers(Result.of(new TypeLookup.Found(ServedTypes.WIDGETS)))
                .defines(Result.of(new ResourceDefinition(List.of(), List.of(size))));

        assertThat(
                        ((ReflectorState.Synchronizing) step(new ReflectorState.Resolving()))
                                .collection()
                                .shape()
                                .selectable())
                .containsExactly(size);
        assertThat(mirror.declaredFields()).isEqualTo(new DeclaredFields(List.of(size), ""));
    }

    @Test
    void forbidden_definition_does_not_block_synchronization_and_keeps_known_fields() {
        Failure denied = refused(403, "Forbidden");
        api.discovers(Result.of(new TypeLookup.Found(ServedTypes.WIDGETS))).defines(denied);

        assertThat(step(new ReflectorState.Resolving()))
                .isInstanceOf(ReflectorState.Synchronizing.class);
        assertThat(mirror.declaredFields())
                .isEqualTo(DeclaredFields.unknown("HTTP 403 Forbidden: as scripted"));

        SelectableField size = SelectableField.at(".spec.size");
        api.discovers(Result.of(new TypeLookup.Found(ServedTypes.WIDGETS)))
                .defines(Result.of(new ResourceDefinition(List.of(), List.of(size))));
        step(new ReflectorState.Resolving());
        api.discovers(Result.of(new TypeLookup.Found(ServedTypes.WIDGETS))).defines(denied);
        step(new ReflectorState.Resolving());
        assertThat(mirror.declaredFields().fields()).containsExactly(size);
    }

    @Test
    void unavailable_definition_is_requested_again() {
        api.discovers(Result.of(new TypeLookup.Found(ServedTypes.WIDGETS)))
                .defines(refused(503, "ServiceUnavailable"));

        assertThat(resting(step(new ReflectorState.Resolving())).next())
                .isEqualTo(new ReflectorState.Resolving());
        assertThat(mirror.type()).isEmpty();
    }

    @Test
    void changed_selectable_fields_drop_the_mirror_content() {
        api.discovers(Result.of(new TypeLookup.Found(ServedTypes.WIDGETS)));
        step(new ReflectorState.Resolving());
        synced(5);
        assertThat(mirror.snapshot()).isPresent();

        api.discovers(Result.of(new TypeLookup.Found(ServedTypes.WIDGETS)));
        step(new ReflectorState.Resolving());
        assertThat(mirror.snapshot()).isPresent();

        api.discovers(Result.of(new TypeLookup.Found(ServedTypes.WIDGETS)))
                .defines(
                        Result.of(
                                new ResourceDefinition(
                                        List.of(), List.of(SelectableField.at("spec.size")))));
        step(new ReflectorState.Resolving());
        assertThat(mirror.snapshot()).isEmpty();
    }

    @Test
    @TransitionRow("Resolving: no such type")
    void absent_type_is_looked_up_again_after_30_seconds() {
        api.discovers(Result.of(new TypeLookup.Unknown(List.of("pods"))));

        assertThat(step(new ReflectorState.Resolving()))
                .isEqualTo(
                        new ReflectorState.BackingOff(
                                Duration.ofSeconds(30), new ReflectorState.Resolving()));
        assertThat(mirror.upstream().phase()).isEqualTo(Phase.ABSENT);
        assertThat(mirror.upstream().problem())
                .contains("did you mean pods in kubemirror.resources?");
    }

    @Test
    @TransitionRow("Resolving: type of cluster scope, but namespaces are configured")
    void namespaces_of_a_cluster_scoped_type_are_reported_as_a_configuration_error() {
        Mirror nodes =
                new Mirror(
                        new Scope(
                                new ResourceName("nodes"),
                                new Selection(
                                        "a",
                                        Selection.everything().labels(),
                                        Selection.everything().fields())),
                        Window.standard(),
                        Runnable::run,
                        System::nanoTime);
        StateMachine machine =
                new StateMachine(
                        api,
                        new MirrorWriter(nodes, () -> 0),
                        settings(Strategy.AUTO),
                        reflectorEnvironment(),
                        counts);
        api.discovers(
                Result.of(
                        new TypeLookup.Found(
                                new ResourceType(
                                        "", "v1", "Node", "nodes", "node", false, List.of(),
                                        List.of()))));

        assertThat(step(machine, new ReflectorState.Resolving()))
                .isInstanceOf(ReflectorState.BackingOff.class);
        assertThat(nodes.upstream().problem())
                .contains("remove its namespaces from kubemirror.resources");
    }

    @Test
    @TransitionRow("Resolving: any failure")
    void failed_discovery_is_retried_after_a_backoff() {
        api.discovers(new Failure.Unreachable("connection refused", true));

        assertThat(resting(step(new ReflectorState.Resolving())).next())
                .isEqualTo(new ReflectorState.Resolving());
        assertThat(mirror.upstream().phase()).isEqualTo(Phase.BACKING_OFF);
        assertThat(mirror.upstream().problem())
                .startsWith("connection refused")
                .contains("kubemirror.upstream");
    }

    @Test
    @TransitionRow({
        "Synchronizing: strategy is a list, or watches are not allowed, or the"
                + " server has refused streams twice in a row within the hour",
        "Synchronizing: a list",
        "Paging: a page with a token",
        "Paging: last page"
    })
    void first_list_is_paged_and_requests_no_revision() {
        api.listsPage(110, "t1", object("a/x", 101)).listsPage(110, null, object("a/y", 102));

        ReflectorState end = run(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT), 4);

        assertThat(end).isEqualTo(new ReflectorState.Opening(pods));
        assertThat(api.lists)
                .containsExactly(
                        new ListRequest(pods, null, 500, null),
                        new ListRequest(pods, null, 500, "t1"));
        assertThat(mirror.snapshot().orElseThrow().size()).isEqualTo(2);
        assertThat(mirror.revision()).isEqualTo(revision(110));
    }

    @Test
    @TransitionRow("Paging: any other failure")
    void list_that_fails_on_a_later_page_leaves_the_mirror_empty() {
        api.listsPage(110, "t1", object("a/x", 101)).lists(new Failure.Unreachable("reset", false));

        ReflectorState end = run(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT), 4);

        assertThat(resting(end).next())
                .isEqualTo(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT));
        assertThat(mirror.snapshot()).isEmpty();
        assertThat(counts.get(Counter.LISTS_FAILED)).isOne();
    }

    @Test
    @TransitionRow("Paging: pages of different revisions")
    void list_with_pages_at_different_revisions_is_discarded() {
        api.listsPage(110, "t1", object("a/x", 101)).listsPage(111, null, object("a/y", 102));

        assertThat(run(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT), 4))
                .isInstanceOf(ReflectorState.BackingOff.class);
        assertThat(mirror.snapshot()).isEmpty();
    }

    /** A later page is expired: one list in one piece (list-watch.md#go-47). */
    @Test
    @TransitionRow("Paging: 410 on a later page")
    void expired_page_restarts_the_list_without_pages_or_continue_token() {
        api.listsPage(110, "t1", object("a/x", 101))
                .lists(refused(410, "Expired"))
                .listsPage(115, null, object("a/x", 101), object("a/y", 112));

        assertThat(run(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT), 6))
                .isEqualTo(new ReflectorState.Opening(pods));
        assertThat(api.lists.getLast()).isEqualTo(new ListRequest(pods, null, 0, null));
        assertThat(slept).isZero();
    }

    @Test
    void resynchronization_lists_at_the_mirror_revision_without_pages() {
        synced(120);
        api.listsPage(130, null);

        run(new ReflectorState.Synchronizing(pods, SyncStart.CACHED), 3);

        assertThat(api.lists).containsExactly(new ListRequest(pods, revision(120), 0, null));
        assertThat(counts.get(Counter.RESYNCS_BRIDGED)).isOne();
    }

    /** list-watch.md#go-43, second half. */
    @Test
    @TransitionRow("Paging: 410 or too large on the first page, asked with a revision")
    void revision_unknown_to_the_server_is_omitted_from_an_immediate_retry() {
        synced(120);
        api.lists(tooLarge()).listsPage(130, null);

        assertThat(run(new ReflectorState.Synchronizing(pods, SyncStart.CACHED), 5))
                .isEqualTo(new ReflectorState.Opening(pods));
        assertThat(api.lists.getLast()).isEqualTo(new ListRequest(pods, null, 500, null));
        assertThat(slept).isZero();
    }

    @Test
    @TransitionRow("Paging: 410 on the first page, asked without a revision")
    void expired_list_without_a_revision_backs_off() {
        api.lists(refused(410, "Expired"));

        assertThat(run(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT), 3))
                .isInstanceOf(ReflectorState.BackingOff.class);
    }

    @Test
    @TransitionRow("Paging: 404")
    void list_with_404_repeats_discovery() {
        api.lists(refused(404, "NotFound"));

        assertThat(
                        resting(
                                        run(
                                                new ReflectorState.Synchronizing(
                                                        pods, SyncStart.MOST_RECENT),
                                                3))
                                .next())
                .isEqualTo(new ReflectorState.Resolving());
    }

    @Test
    void forbidden_list_reports_the_permissions_to_grant() {
        api.lists(
                new Failure.Refused(
                        new Status(
                                403,
                                "Forbidden",
                                "pods is forbidden: User \"u\" cannot list resource \"pods\" in API"
                                        + " group \"\" at the cluster scope",
                                null)));

        run(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT), 3);

        assertThat(mirror.upstream().problem())
                .contains("cannot list resource \"pods\" in API group \"\" at the cluster scope")
                .contains("grant kubemirror's user get, list and watch");
    }

    /** What the server says about it may be anything: authorizers can be behind webhooks. */
    @Test
    void missing_permission_is_reported_like_kubectl_regardless_of_the_server_message() {
        api.lists(refused(403, "Forbidden"));

        run(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT), 3);

        assertThat(mirror.upstream().problem())
                .isEqualTo(
                        "HTTP 403 Forbidden: as scripted; kubemirror's user cannot list resource"
                            + " \"pods\" in API group \"\" at the cluster scope; grant kubemirror's"
                            + " user get, list and watch on the resource");
    }

    @Test
    void missing_permission_in_a_namespace_reports_the_namespace() {
        ResourceCollection part =
                new ResourceCollection(
                        new ResourceType(
                                "example.com",
                                "v1",
                                "Widget",
                                "widgets",
                                "widget",
                                true,
                                List.of(),
                                List.of()),
                        new Selection(
                                "a",
                                Selection.everything().labels(),
                                Selection.everything().fields()),
                        pods.shape());
        api.answersWatch(refused(403, "Forbidden"));

        step(new ReflectorState.Opening(part));

        assertThat(mirror.upstream().problem())
                .contains(
                        "cannot watch resource \"widgets\" in API group \"example.com\" in the"
                                + " namespace \"a\"");
    }

    @Test
    void first_page_of_a_list_clears_a_permission_problem() {
        api.lists(refused(403, "Forbidden")).listsPage(110, "t", object("a/x", 101));
        ReflectorState resting =
                run(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT), 3);
        assertThat(mirror.upstream().problem()).isNotEmpty();
        now = now.plusSeconds(2);

        assertThat(run(resting, 4)).isInstanceOf(ReflectorState.Paging.class);

        assertThat(mirror.upstream().problem()).isEmpty();
    }

    @Test
    void accepted_watch_list_clears_a_permission_problem() {
        machine = stateMachine(Strategy.WATCH_LIST);
        api.answersWatch(refused(403, "Forbidden")).streams();
        ReflectorState resting =
                step(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT));
        assertThat(mirror.upstream().problem()).contains("cannot watch resource");

        assertThat(run(resting, 2)).isInstanceOf(ReflectorState.Streaming.class);

        assertThat(mirror.upstream().problem()).isEmpty();
    }

    @Test
    void list_does_not_clear_a_watch_permission_problem() {
        synced(120);
        api.answersWatch(refused(403, "Forbidden")).listsPage(130, null);

        ReflectorState opening = run(new ReflectorState.Opening(pods), 5);
        assertThat(opening).isEqualTo(new ReflectorState.Opening(pods));
        assertThat(mirror.upstream().problem()).contains("cannot watch resource");

        api.streams();
        step(opening);
        assertThat(mirror.upstream().problem()).isEmpty();
    }

    @Test
    void rejected_credentials_are_reported_as_reloaded() {
        api.lists(new Failure.Refused(status(401, "Unauthorized"), true));

        run(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT), 3);

        assertThat(mirror.upstream().problem())
                .isEqualTo(
                        "HTTP 401 Unauthorized: as scripted; the credentials were read again and"
                                + " rejected again; check the credentials that kubemirror.upstream"
                                + " refers to");
    }

    @Test
    void any_successful_request_clears_a_credentials_problem() {
        synced(120);
        api.answersWatch(refused(401, "Unauthorized")).listsPage(130, "t");
        ReflectorState resting = step(new ReflectorState.Opening(pods));
        assertThat(mirror.upstream().problem())
                .contains("the credentials were rejected; check the credentials");

        run(resting, 4);

        assertThat(mirror.upstream().problem()).isEmpty();
    }

    @Test
    void forbidden_discovery_reports_the_permissions_to_grant_until_it_succeeds() {
        api.discovers(refused(403, "Forbidden")).discovers(Result.of(new TypeLookup.Found(PODS)));

        ReflectorState resting = step(new ReflectorState.Resolving());
        assertThat(mirror.upstream().problem()).contains("get on the paths under /api and /apis");

        run(resting, 2);
        assertThat(mirror.upstream().problem()).isEmpty();
    }

    /**
     * A list older than the mirror is believed only if a second one confirms it
     * (list-watch.md#go-52).
     */
    @Test
    @TransitionRow({"Paging: complete, but older than the mirror", "BackingOff: the time is over"})
    void list_older_than_the_mirror_is_repeated_before_it_is_accepted() {
        synced(120, object("a/x", 100), object("a/y", 119));
        api.lists(tooLarge())
                .listsPage(118, null, object("a/x", 100))
                .listsPage(121, null, object("a/x", 100));

        ReflectorState end = run(new ReflectorState.Synchronizing(pods, SyncStart.CACHED), 5);
        assertThat(resting(end).next())
                .isEqualTo(
                        new ReflectorState.Synchronizing(
                                pods, SyncStart.CONFIRMING, FetchMethod.PAGES));
        assertThat(mirror.revision()).isEqualTo(revision(120));

        assertThat(run(end, 3)).isEqualTo(new ReflectorState.Opening(pods));
        assertThat(mirror.revision()).isEqualTo(revision(121));
        assertThat(counts.get(Counter.RESYNCS_BROKEN)).isZero();
    }

    /**
     * A server whose revisions went back, for example after a restore from a backup, causes a break
     * (list-watch.md#re-12).
     */
    @Test
    void second_list_older_than_the_mirror_is_accepted() {
        synced(120, object("a/x", 100), object("a/y", 119));
        api.lists(tooLarge())
                .listsPage(118, null, object("a/x", 100))
                .listsPage(118, null, object("a/x", 100));

        assertThat(run(new ReflectorState.Synchronizing(pods, SyncStart.CACHED), 8))
                .isEqualTo(new ReflectorState.Opening(pods));
        assertThat(mirror.revision()).isEqualTo(revision(118));
        assertThat(counts.get(Counter.RESYNCS_BROKEN)).isOne();
    }

    @Test
    @TransitionRow("Opening: accepted")
    void watch_opens_at_the_mirror_revision_for_five_to_ten_minutes() {
        synced(120);
        api.streams();

        assertThat(step(new ReflectorState.Opening(pods)))
                .isInstanceOf(ReflectorState.Watching.class);

        WatchRequest request = api.watches.getFirst();
        assertThat(request.revision()).isEqualTo(revision(120));
        assertThat(request.initialEvents()).isFalse();
        assertThat(request.timeout()).isBetween(Duration.ofMinutes(5), Duration.ofMinutes(10));
        assertThat(request.silence()).isEqualTo(request.timeout().plusSeconds(5));
        assertThat(mirror.upstream().phase()).isEqualTo(Phase.WATCHING);
    }

    @Test
    void opened_watch_clears_the_problem() {
        synced(120);
        api.answersWatch(new Failure.Unreachable("connection refused", true));
        api.listsPage(120, null).streams();

        ReflectorState resting = step(new ReflectorState.Opening(pods));
        assertThat(mirror.upstream().problem()).isNotEmpty();
        run(resting, 2);
        assertThat(mirror.upstream().problem()).isEmpty();
    }

    @Test
    @TransitionRow("Opening: 429, connection refused")
    void throttled_or_refused_watch_is_reopened_without_a_list() {
        synced(120);
        api.answersWatch(refused(429, "TooManyRequests"));
        api.answersWatch(new Failure.Unreachable("connection refused", true));

        assertThat(resting(step(new ReflectorState.Opening(pods))).next())
                .isEqualTo(new ReflectorState.Opening(pods));
        assertThat(resting(step(new ReflectorState.Opening(pods))).next())
                .isEqualTo(new ReflectorState.Opening(pods));
    }

    @Test
    void retry_after_is_obeyed_for_one_to_two_times_its_duration() {
        synced(120);
        api.answersWatch(
                new Failure.Refused(
                        new Status(429, "TooManyRequests", "later", Status.Details.retryAfter(7))));

        assertThat(resting(step(new ReflectorState.Opening(pods))).delay())
                .isBetween(Duration.ofSeconds(7), Duration.ofSeconds(14));
    }

    @Test
    void retry_after_is_obeyed_ten_times_and_then_counts_as_a_failure() {
        synced(120);
        for (int i = 0; i < 11; i++) {
            api.answersWatch(
                    new Failure.Refused(
                            new Status(
                                    429,
                                    "TooManyRequests",
                                    "later",
                                    Status.Details.retryAfter(7))));
        }
        for (int i = 0; i < 10; i++) {
            assertThat(resting(step(new ReflectorState.Opening(pods))).delay())
                    .isBetween(Duration.ofSeconds(7), Duration.ofSeconds(28));
        }

        assertThat(resting(step(new ReflectorState.Opening(pods))).delay())
                .isBetween(Duration.ofMillis(800), Duration.ofMillis(1600));
    }

    @Test
    @TransitionRow("Opening: any other failure")
    void watch_rejected_as_expired_leads_to_a_resynchronization() {
        synced(120);
        api.answersWatch(refused(410, "Expired"));

        assertThat(resting(step(new ReflectorState.Opening(pods))).next())
                .isEqualTo(new ReflectorState.Synchronizing(pods, SyncStart.CACHED));
        assertThat(counts.get(Counter.WATCHES_EXPIRED)).isOne();
    }

    @Test
    @TransitionRow("Opening: any other failure")
    void forbidden_or_malformed_watch_leads_to_a_resynchronization() {
        synced(120);
        api.answersWatch(refused(403, "Forbidden"));
        api.answersWatch(new Failure.Malformed("no JSON"));

        assertThat(resting(step(new ReflectorState.Opening(pods))).next())
                .isEqualTo(new ReflectorState.Synchronizing(pods, SyncStart.CACHED));
        assertThat(resting(step(new ReflectorState.Opening(pods))).next())
                .isEqualTo(new ReflectorState.Synchronizing(pods, SyncStart.CACHED));
    }

    @Test
    @TransitionRow("Watching: event, bookmark, foreign frame")
    void events_and_bookmarks_update_the_mirror() {
        synced(120, object("a/x", 100));
        ReflectorState.Watching watching =
                watching(
                        new WatchFrame.Added(object("a/y", 121), null),
                        new WatchFrame.Modified(object("a/x", 122)),
                        new WatchFrame.Deleted(object("a/y", 123)),
                        new WatchFrame.Bookmark(revision(130), false));

        run(watching, 4);

        assertThat(mirror.snapshot().orElseThrow().objects())
                .extracting(object -> object.key() + "@" + object.revision())
                .containsExactly("a/x@122");
        assertThat(mirror.revision()).isEqualTo(revision(130));
    }

    @Test
    void outdated_bookmark_is_counted_as_a_duplicate_and_ignored() {
        synced(120, object("a/x", 100));

        run(
                watching(
                        new WatchFrame.Bookmark(revision(119), false),
                        new WatchFrame.Bookmark(revision(120), false)),
                2);

        assertThat(counts.get(Counter.EVENTS_DUPLICATE)).isOne();
        assertThat(counts.get(Counter.EVENTS_BOOKMARK)).isEqualTo(2);
        assertThat(mirror.revision()).isEqualTo(revision(120));
    }

    @Test
    void duplicate_event_is_counted_and_ignored() {
        synced(120, object("a/x", 100));

        run(watching(new WatchFrame.Modified(object("a/x", 120))), 1);

        assertThat(counts.get(Counter.EVENTS_DUPLICATE)).isOne();
        assertThat(
                        mirror.snapshot()
                                .orElseThrow()
                                .get(new ObjectKey("a/x"))
                                .orElseThrow()
                                .revision())
                .isEqualTo(revision(100));
    }

    @Test
    @TransitionRow("Watching: event, bookmark, foreign frame")
    void foreign_frame_is_ignored_without_advancing_the_revision() {
        synced(120);

        assertThat(run(watching(new WatchFrame.Foreign("a Table")), 1))
                .isInstanceOf(ReflectorState.Watching.class);
        assertThat(counts.get(Counter.EVENTS_FOREIGN)).isOne();
        assertThat(mirror.revision()).isEqualTo(revision(120));
    }

    /** Watch ends cleanly: another watch at once (list-watch.md#go-41). */
    @Test
    @TransitionRow("Watching: end, cut or silence after a frame or a second")
    void watch_that_ends_cleanly_is_reopened_without_delay() {
        synced(120);
        ReflectorState.Watching watching = watching(new WatchFrame.Ended());
        now = now.plusSeconds(400);

        assertThat(step(watching)).isEqualTo(new ReflectorState.Opening(pods));
        assertThat(((FakeSource.FakeStream) watching.stream()).closed).isTrue();
        assertThat(slept).isZero();
    }

    /** Only a bookmark arrives: the next watch begins there (list-watch.md#go-45). */
    @Test
    @TransitionRow("Watching: end, cut or silence after a frame or a second")
    void watch_cut_after_a_bookmark_resumes_at_the_bookmark() {
        synced(120);
        api.streams();

        run(
                watching(
                        new WatchFrame.Bookmark(revision(130), false),
                        new WatchFrame.Broken("cut", BrokenKind.CUT)),
                3);

        assertThat(api.watches.getFirst().revision()).isEqualTo(revision(130));
        assertThat(slept).isZero();
    }

    @Test
    @TransitionRow("Watching: end or cut within a second, without a frame")
    void very_short_watch_backs_off_and_keeps_its_revision() {
        synced(120);

        assertThat(veryShort(new WatchFrame.Ended()).next())
                .isEqualTo(new ReflectorState.Opening(pods));
        assertThat(veryShort(new WatchFrame.Broken("reset", BrokenKind.CUT)).next())
                .isEqualTo(new ReflectorState.Opening(pods));
    }

    @Test
    @TransitionRow(
            "Watching: end or cut within a second, without a frame, for the fifth time in a row")
    void fifth_very_short_watch_in_a_row_leads_to_a_list() {
        synced(120);
        for (int i = 0; i < 4; i++) {
            veryShort(new WatchFrame.Ended());
        }

        assertThat(veryShort(new WatchFrame.Ended()).next())
                .isEqualTo(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT));
    }

    private ReflectorState.BackingOff veryShort(WatchFrame end) {
        ReflectorState.Watching watching = watching(end);
        now = now.plusMillis(300);
        ReflectorState.BackingOff resting = resting(step(watching));
        assertThat(resting.delay()).isGreaterThanOrEqualTo(Duration.ofMillis(800));
        return resting;
    }

    /** list-watch.md#go-43, first half. */
    @Test
    @TransitionRow("Watching: any other ERROR")
    void watch_error_410_leads_to_a_list_at_the_mirror_revision() {
        synced(120);
        ReflectorState.Watching watching = watching(new WatchFrame.Failed(status(410, "Expired")));

        assertThat(resting(step(watching)).next())
                .isEqualTo(new ReflectorState.Synchronizing(pods, SyncStart.CACHED));
        assertThat(counts.get(Counter.WATCHES_EXPIRED)).isOne();
    }

    @Test
    void first_410_after_an_outage_retries_quickly_and_the_second_backs_off() {
        synced(120);
        for (int i = 0; i < 6; i++) {
            api.answersWatch(refused(500, "InternalError"));
            run(new ReflectorState.Opening(pods), 2);
        }

        Duration first =
                resting(step(watching(new WatchFrame.Failed(status(410, "Expired"))))).delay();
        Duration second =
                resting(step(watching(new WatchFrame.Failed(status(410, "Expired"))))).delay();

        assertThat(first).isLessThan(Duration.ofMillis(400));
        assertThat(second).isGreaterThanOrEqualTo(Duration.ofSeconds(25));
    }

    /** ERROR 429: backoff, then a watch, no list (list-watch.md#go-44). */
    @Test
    @TransitionRow("Watching: ERROR 429, or ERROR 500 for a while")
    void watch_error_429_reopens_the_watch_without_a_list() {
        synced(120);

        assertThat(
                        resting(
                                        step(
                                                watching(
                                                        new WatchFrame.Failed(
                                                                status(429, "TooManyRequests")))))
                                .next())
                .isEqualTo(new ReflectorState.Opening(pods));
    }

    @Test
    @TransitionRow({
        "Watching: nonsense, or an object that replaced another unseen",
        "Watching: any other ERROR"
    })
    void malformed_watch_data_leads_to_a_list() {
        synced(120);
        ReflectorState relist = new ReflectorState.Synchronizing(pods, SyncStart.CACHED);

        assertThat(resting(step(watching(new WatchFrame.Untrackable("no revision")))).next())
                .isEqualTo(relist);
        assertThat(resting(step(watching(new WatchFrame.Failed(status(400, "BadRequest"))))).next())
                .isEqualTo(relist);
    }

    @Test
    @TransitionRow("Watching: ERROR 429, or ERROR 500 for a while")
    void watch_error_500_is_retried_for_30_seconds_before_a_list() {
        synced(120);
        ReflectorState opening = new ReflectorState.Opening(pods);

        assertThat(internalError().next()).isEqualTo(opening);
        now = now.plusSeconds(29);
        assertThat(internalError().next()).isEqualTo(opening);
        now = now.plusSeconds(1);
        assertThat(internalError().next())
                .isEqualTo(new ReflectorState.Synchronizing(pods, SyncStart.CACHED));
    }

    @Test
    void one_minute_without_watch_error_500_resets_its_time_limit() {
        synced(120);
        internalError();
        now = now.plusSeconds(61);

        assertThat(internalError().next()).isEqualTo(new ReflectorState.Opening(pods));
        now = now.plusSeconds(29);
        assertThat(internalError().next()).isEqualTo(new ReflectorState.Opening(pods));
    }

    private ReflectorState.BackingOff internalError() {
        return resting(step(watching(new WatchFrame.Failed(status(500, "InternalError")))));
    }

    @Test
    @TransitionRow("Watching: nonsense, or an object that replaced another unseen")
    void recreated_object_without_a_free_revision_for_the_deletion_leads_to_a_list() {
        synced(120, object("a/x", "u", 100, Map.of()));
        KubeObject successor = object("a/x", "v", 121, Map.of());

        assertThat(resting(step(watching(new WatchFrame.Added(successor, null)))).next())
                .isEqualTo(new ReflectorState.Synchronizing(pods, SyncStart.CACHED));
    }

    @Test
    void fifth_failure_without_progress_leads_to_a_list_without_a_revision() {
        synced(120);
        for (int i = 0; i < 5; i++) {
            api.answersWatch(refused(500, "InternalError"));
        }
        for (int i = 0; i < 4; i++) {
            assertThat(resting(step(new ReflectorState.Opening(pods))).next())
                    .isEqualTo(new ReflectorState.Synchronizing(pods, SyncStart.CACHED));
        }

        assertThat(resting(step(new ReflectorState.Opening(pods))).next())
                .isEqualTo(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT));
    }

    @Test
    void watch_that_expires_after_every_list_backs_off_increasingly() {
        synced(120);
        Duration last = Duration.ZERO;
        for (int i = 0; i < 6; i++) {
            ReflectorState.BackingOff resting =
                    resting(step(watching(new WatchFrame.Failed(status(410, "Expired")))));
            last = resting.delay();
            api.listsPage(120 + i, null);
            run(resting, 4);
        }

        assertThat(last).isGreaterThanOrEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void foreign_frames_do_not_count_as_progress() {
        synced(120);
        FakeSource.FakeStream stream =
                new FakeSource.FakeStream(
                        new WatchFrame.Foreign("a Table"), new WatchFrame.Ended());

        ReflectorState end = run(new ReflectorState.Watching(pods, stream, now, false), 2);

        assertThat(end).isInstanceOf(ReflectorState.BackingOff.class);
        assertThat(stream.closed).isTrue();
    }

    @Test
    @TransitionRow("Opening: connection broken before the answer")
    void watch_whose_connection_broke_is_reopened_without_a_list() {
        synced(120);
        api.answersWatch(new Failure.Unreachable("reset", false));
        assertThat(resting(step(new ReflectorState.Opening(pods))).next())
                .isEqualTo(new ReflectorState.Opening(pods));

        api.beforeAnswer(() -> now = now.plusSeconds(60))
                .answersWatch(new Failure.Unreachable("the server did not respond in time", false));
        assertThat(resting(step(new ReflectorState.Opening(pods))).next())
                .isEqualTo(new ReflectorState.Opening(pods));
    }

    /** Something between here and the server may let lists pass, but no watches. */
    @Test
    @TransitionRow("Opening: connection broken for the fifth time in a row")
    void fifth_broken_watch_connection_in_a_row_leads_to_a_list() {
        synced(120);
        for (int i = 0; i < 5; i++) {
            api.answersWatch(new Failure.Unreachable("reset", false));
        }
        for (int i = 0; i < 4; i++) {
            step(new ReflectorState.Opening(pods));
        }

        assertThat(resting(step(new ReflectorState.Opening(pods))).next())
                .isEqualTo(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT));
    }

    @Test
    void refused_connections_never_count_as_failures_of_the_revision() {
        synced(120);
        for (int i = 0; i < 10; i++) {
            api.answersWatch(new Failure.Unreachable("refused", true));
        }
        for (int i = 0; i < 10; i++) {
            step(new ReflectorState.Opening(pods));
        }
        api.answersWatch(new Failure.Unreachable("reset", false));

        assertThat(resting(step(new ReflectorState.Opening(pods))).next())
                .isEqualTo(new ReflectorState.Opening(pods));
    }

    @Test
    @TransitionRow({
        "Synchronizing: connection broken before the answer, for the first time",
        "Synchronizing: any other failure, strategy auto"
    })
    void watch_list_with_a_broken_connection_is_retried_once_and_then_replaced_by_a_list() {
        machine = stateMachine(Strategy.AUTO);
        api.answersWatch(new Failure.Unreachable("reset", false))
                .answersWatch(new Failure.Unreachable("reset", false));

        assertThat(resting(synchronizing()).next())
                .isEqualTo(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT));
        now = now.plusSeconds(1);
        assertThat(synchronizing())
                .isEqualTo(
                        new ReflectorState.Synchronizing(
                                pods, SyncStart.MOST_RECENT, FetchMethod.PAGES));
    }

    /** It may be another server that was restored from a backup. */
    @Test
    @TransitionRow("BackingOff: the server accepts connections again")
    void server_that_was_unreachable_is_asked_whether_it_went_back() {
        synced(120);
        List<Boolean> accepting = new ArrayList<>(List.of(false, true));
        machine = stateMachine(probing(accepting::removeFirst));
        api.answersWatch(new Failure.Unreachable("reset", false))
                .answersWatch(new Failure.Unreachable("reset", false))
                .streams();

        api.listsPage(120, null);

        assertThat(run(new ReflectorState.Opening(pods), 5))
                .isInstanceOf(ReflectorState.Watching.class);
        assertThat(api.lists).containsExactly(new ListRequest(pods, null, 1, null));
        assertThat(accepting).isEmpty();
    }

    @Test
    void backoff_for_an_unreachable_server_ends_when_it_accepts_connections() {
        synced(120);
        machine = stateMachine(probing(() -> slept.compareTo(Duration.ofSeconds(100)) > 0));
        for (int i = 0; i < 20; i++) {
            api.answersWatch(new Failure.Unreachable("refused", true));
        }
        ReflectorState state = new ReflectorState.Opening(pods);
        while (slept.compareTo(Duration.ofSeconds(100)) <= 0) {
            state = step(state);
        }

        assertThat(state).isEqualTo(new ReflectorState.Opening(pods));
        assertThat(slept).isLessThan(Duration.ofSeconds(102));
    }

    @Test
    void backoff_after_a_certificate_error_ignores_accepted_connections() {
        synced(120);
        machine = stateMachine(probing(() -> true));
        api.answersWatch(
                new Failure.Unreachable("no certificate", Failure.Unreachable.Kind.UNTRUSTED));

        ReflectorState.BackingOff resting = resting(step(new ReflectorState.Opening(pods)));
        step(resting);

        assertThat(slept).isEqualTo(resting.delay());
    }

    @Test
    void outage_resets_the_failure_backoff_only_if_the_mirror_made_progress() {
        synced(120);
        machine.retryState.listed();
        for (int i = 0; i < 6; i++) {
            machine.retryState.failed();
        }

        outage();
        assertThat(machine.retryState.failed()).isLessThan(Duration.ofMillis(1600));

        outage();
        assertThat(machine.retryState.failed()).isGreaterThanOrEqualTo(Duration.ofMillis(1600));
    }

    private void outage() {
        writer.contacted(now);
        api.answersWatch(new Failure.Unreachable("refused", true));
        step(new ReflectorState.Opening(pods));
        now = now.plusSeconds(1);
    }

    @Test
    @TransitionRow({
        "Streaming: nonsense, strategy auto",
        "Streaming: end, cut after another failure, strategy auto"
    })
    void malformed_or_repeatedly_broken_watch_list_is_replaced_by_a_list() {
        machine = stateMachine(Strategy.AUTO);
        ReflectorState synchronizing =
                new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT);
        ReflectorState listing =
                new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT, FetchMethod.PAGES);
        api.streams(new WatchFrame.Untrackable("no JSON"));
        assertThat(resting(run(synchronizing, 2)).next()).isEqualTo(listing);

        now = now.plusSeconds(1);
        api.streams(new WatchFrame.Broken("cut", BrokenKind.CUT));
        assertThat(resting(run(synchronizing, 2)).next()).isEqualTo(listing);
    }

    @Test
    @TransitionRow({"Synchronizing: 429, connection refused", "Streaming: 429, connection refused"})
    void throttled_or_refused_watch_list_is_retried() {
        machine = stateMachine(Strategy.AUTO);
        ReflectorState again = new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT);
        api.answersWatch(refused(429, "TooManyRequests"));
        assertThat(resting(synchronizing()).next()).isEqualTo(again);

        api.answersWatch(new Failure.Unreachable("connection refused", true));
        assertThat(resting(synchronizing()).next()).isEqualTo(again);

        api.streams(new WatchFrame.Failed(status(429, "TooManyRequests")));
        assertThat(resting(step(synchronizing())).next()).isEqualTo(again);
        assertThat(api.lists).isEmpty();
    }

    /**
     * A watch-list that is expired or too large is repeated at once without a revision
     * (list-watch.md#up-23).
     */
    @Test
    @TransitionRow("Synchronizing: 410 or too large, asked with a revision")
    void watch_list_rejected_for_its_revision_retries_immediately_without_a_revision() {
        machine = stateMachine(Strategy.AUTO);
        synced(120);
        api.answersWatch(tooLarge()).streams();

        assertThat(step(new ReflectorState.Synchronizing(pods, SyncStart.CACHED)))
                .isInstanceOf(ReflectorState.Streaming.class);
        assertThat(api.watches)
                .extracting(WatchRequest::revision)
                .containsExactly(revision(120), null);
    }

    /**
     * Any other failure of a watch-list falls back to a list in the same round
     * (list-watch.md#up-25).
     */
    @Test
    @TransitionRow("Streaming: any other failure, strategy auto")
    void watch_list_that_fails_midway_is_replaced_by_an_immediate_list() {
        machine = stateMachine(Strategy.AUTO);
        FakeSource.FakeStream stream =
                api.streams(
                        new WatchFrame.Added(object("a/x", 101), null),
                        new WatchFrame.Failed(status(500, "InternalError")));

        assertThat(run(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT), 3))
                .isEqualTo(
                        new ReflectorState.Synchronizing(
                                pods, SyncStart.MOST_RECENT, FetchMethod.PAGES));
        assertThat(stream.closed).isTrue();
        assertThat(slept).isZero();
    }

    @Test
    @TransitionRow({
        "Streaming: any other failure, strategy watch-list",
        "Streaming: 404, strategy watch-list",
        "Streaming: nonsense, strategy watch-list"
    })
    void configured_watch_list_that_fails_midway_is_retried() {
        machine = stateMachine(Strategy.WATCH_LIST);
        ReflectorState again = new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT);
        api.streams(new WatchFrame.Failed(status(500, "InternalError")));
        assertThat(resting(step(synchronizing())).next()).isEqualTo(again);

        api.streams(new WatchFrame.Untrackable("no revision"));
        assertThat(resting(step(synchronizing())).next()).isEqualTo(again);

        api.streams(new WatchFrame.Failed(status(404, "NotFound")));
        assertThat(resting(step(synchronizing())).next()).isEqualTo(new ReflectorState.Resolving());
    }

    /**
     * A list older than the mirror is believed only if a second one confirms it
     * (list-watch.md#go-52).
     */
    @Test
    @TransitionRow("Streaming: end of the initial events, older than the mirror")
    void watch_list_older_than_the_mirror_is_repeated_before_it_is_accepted() {
        machine = stateMachine(Strategy.WATCH_LIST);
        synced(120, object("a/x", 100), object("a/y", 119));
        api.streams(
                new WatchFrame.Added(object("a/x", 100), null),
                new WatchFrame.Bookmark(revision(118), true));
        ReflectorState end = run(new ReflectorState.Synchronizing(pods, SyncStart.CACHED), 3);
        assertThat(resting(end).next())
                .isEqualTo(new ReflectorState.Synchronizing(pods, SyncStart.CONFIRMING));
        assertThat(mirror.revision()).isEqualTo(revision(120));

        api.streams(
                new WatchFrame.Added(object("a/x", 100), null),
                new WatchFrame.Bookmark(revision(118), true));
        assertThat(run(end, 4)).isInstanceOf(ReflectorState.Watching.class);
        assertThat(mirror.revision()).isEqualTo(revision(118));
    }

    @Test
    @TransitionRow("Synchronizing: 404, strategy watch-list")
    void configured_watch_list_with_404_repeats_discovery() {
        machine = stateMachine(Strategy.WATCH_LIST);
        api.answersWatch(refused(404, "NotFound"));

        assertThat(
                        resting(step(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT)))
                                .next())
                .isEqualTo(new ReflectorState.Resolving());
    }

    @Test
    void deleted_type_clears_the_mirror() {
        writer.identify(PODS);
        synced(120, object("a/x", 100));
        api.discovers(Result.of(new TypeLookup.Unknown(List.of())));

        step(new ReflectorState.Resolving());

        assertThat(mirror.snapshot()).isEmpty();
        assertThat(mirror.type()).isEmpty();
    }

    @Test
    void type_served_in_another_version_is_listed_from_scratch() {
        writer.identify(PODS);
        synced(120, object("a/x", 100));
        ResourceType next =
                new ResourceType("", "v2", "Pod", "pods", "pod", true, List.of(), List.of());
        api.discovers(Result.of(new TypeLookup.Found(next)))
                .listsPage(120, null, object("a/x", 100));

        assertThat(run(new ReflectorState.Resolving(), 4))
                .isInstanceOf(ReflectorState.Opening.class);
        assertThat(mirror.type()).contains(next);
        assertThat(counts.get(Counter.RESYNCS_BRIDGED)).isZero();
    }

    @Test
    void retry_after_is_capped_at_two_minutes() {
        synced(120);
        api.answersWatch(
                new Failure.Refused(
                        new Status(
                                429,
                                "TooManyRequests",
                                "later",
                                Status.Details.retryAfter(999_999))));

        assertThat(resting(step(new ReflectorState.Opening(pods))).delay())
                .isBetween(Duration.ofMinutes(1), Duration.ofMinutes(2));
    }

    @Test
    void backoff_doubles_up_to_30_seconds_and_resets_after_two_minutes() {
        for (int i = 0; i < 20; i++) {
            api.discovers(new Failure.Unreachable("no", true));
        }
        Duration expected = Duration.ofMillis(800);
        for (int i = 0; i < 8; i++) {
            ReflectorState.BackingOff resting = resting(step(new ReflectorState.Resolving()));
            assertThat(resting.delay()).isBetween(expected, expected.multipliedBy(2));
            step(resting);
            Duration doubled = expected.multipliedBy(2);
            expected =
                    doubled.compareTo(Duration.ofSeconds(30)) < 0
                            ? doubled
                            : Duration.ofSeconds(30);
        }

        now = now.plusSeconds(121);
        assertThat(resting(step(new ReflectorState.Resolving())).delay())
                .isBetween(Duration.ofMillis(800), Duration.ofMillis(1600));
    }

    @Test
    @TransitionRow({
        "Synchronizing: a stream is accepted",
        "Streaming: event, bookmark, foreign frame",
        "Streaming: end of the initial events"
    })
    void watch_list_delivers_the_initial_state_and_continues_as_the_watch() {
        machine = stateMachine(Strategy.AUTO);
        FakeSource.FakeStream stream =
                api.streams(
                        new WatchFrame.Added(object("a/x", 101), null),
                        new WatchFrame.Added(object("a/y", 102), null),
                        new WatchFrame.Bookmark(revision(105), false),
                        new WatchFrame.Deleted(object("a/y", 108)),
                        new WatchFrame.Bookmark(revision(110), true),
                        new WatchFrame.Added(object("a/z", 111), null));

        ReflectorState streaming =
                run(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT), 5);
        assertThat(mirror.snapshot()).isEmpty();
        ReflectorState watching = step(streaming);

        assertThat(((ReflectorState.Watching) watching).stream()).isSameAs(stream);
        assertThat(mirror.snapshot().orElseThrow().size()).isOne();
        assertThat(mirror.revision()).isEqualTo(revision(110));
        step(watching);
        assertThat(mirror.snapshot().orElseThrow().size()).isEqualTo(2);
        assertThat(api.watches.getFirst().initialEvents()).isTrue();
        assertThat(api.watches.getFirst().revision()).isNull();
    }

    @Test
    @TransitionRow("Watching: an audit found a difference")
    void resync_request_closes_the_watch_and_synchronizes_immediately() {
        synced(120, object("a/x", 101));
        FakeSource.FakeStream stream = api.streams();
        ReflectorState watching = step(new ReflectorState.Opening(pods));

        machine.resyncRequest.request(machine.resyncRequest.answers(), 0);

        assertThat(stream.closed).isTrue();
        assertThat(step(watching))
                .isEqualTo(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT));
    }

    @Test
    void resync_request_without_an_open_watch_closes_the_next_watch() {
        synced(120);
        machine.resyncRequest.request(machine.resyncRequest.answers(), 0);
        FakeSource.FakeStream stream = api.streams();

        ReflectorState watching = step(new ReflectorState.Opening(pods));

        assertThat(stream.closed).isTrue();
        assertThat(step(watching))
                .isEqualTo(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT));
    }

    @Test
    @TransitionRow("Watching: a union needs progress")
    void progress_request_compares_the_quiet_mirror_with_the_server_and_watches_from_there() {
        synced(120, object("a/x", 101));
        FakeSource.FakeStream stream = api.streams();
        ReflectorState watching = step(new ReflectorState.Opening(pods));

        machine.resyncRequest.requestProgress(revision(140));

        assertThat(stream.closed).isTrue();
        ReflectorState opening = step(watching);
        assertThat(opening).isEqualTo(new ReflectorState.Opening(pods));
        api.listsPage(140, null, object("a/x", 101));
        FakeSource.FakeStream next = api.streams();
        step(opening);
        assertThat(api.lists.getLast().match()).isEqualTo(ListRequest.RevisionMatch.EXACT);
        assertThat(api.lists.getLast().revision()).isEqualTo(revision(140));
        assertThat(api.watches.getLast().revision()).isEqualTo(revision(140));
        assertThat(mirror.revision()).isEqualTo(revision(140));
        assertThat(mirror.windowChanges()).isZero();
        assertThat(counts.get(Counter.WATCHES_FAILED)).isZero();
        assertThat(slept).isZero();

        machine.resyncRequest.requestProgress(revision(150));
        assertThat(next.closed).as("soon after").isFalse();
        now = now.plusSeconds(1);
        machine.resyncRequest.requestProgress(revision(150));
        assertThat(next.closed).as("a second later").isTrue();
    }

    @Test
    void mirror_that_differs_from_the_server_does_not_advance_without_its_watch() {
        synced(120, object("a/x", 101));
        machine.resyncRequest.requestProgress(revision(140));
        api.listsPage(140, null, object("a/x", 101), object("a/y", 130));
        api.streams(new WatchFrame.Added(object("a/y", 130), null));

        ReflectorState watching = step(new ReflectorState.Opening(pods));

        assertThat(mirror.revision()).isEqualTo(revision(120));
        assertThat(api.watches.getLast().revision()).isEqualTo(revision(120));
        step(watching);
        assertThat(mirror.revision()).isEqualTo(revision(130));
    }

    @Test
    void mirror_that_has_reached_the_requested_revision_is_not_compared() {
        synced(140, object("a/x", 101));
        int lists = api.lists.size();
        machine.resyncRequest.requestProgress(revision(140));
        api.listsPage(140, null, object("a/x", 101));
        FakeSource.FakeStream stream = api.streams();

        step(new ReflectorState.Opening(pods));

        assertThat(api.lists).hasSize(lists);
        now = now.plusSeconds(1);
        machine.resyncRequest.requestProgress(revision(150));
        assertThat(stream.closed).as("the next request is heard").isTrue();
    }

    /** Otherwise a server that takes a second to open a watch would never get to send events. */
    @Test
    void progress_request_while_a_watch_opens_leaves_it_open_for_a_second() {
        synced(120, object("a/x", 101));
        FakeSource.FakeStream stream = api.streams();
        api.beforeAnswer(() -> machine.resyncRequest.requestProgress(revision(140)));

        step(new ReflectorState.Opening(pods));

        assertThat(stream.closed).isFalse();
        machine.resyncRequest.requestProgress(revision(140));
        assertThat(stream.closed).as("soon after").isFalse();
        now = now.plusSeconds(1);
        machine.resyncRequest.requestProgress(revision(140));
        assertThat(stream.closed).as("a second later").isTrue();
    }

    @Test
    void server_that_refuses_a_list_at_one_revision_is_watched_on() {
        synced(120, object("a/x", 101));
        machine.resyncRequest.requestProgress(revision(140));
        api.lists(tooLarge());
        api.streams();

        step(new ReflectorState.Opening(pods));

        assertThat(mirror.revision()).isEqualTo(revision(120));
        assertThat(api.watches.getLast().revision()).isEqualTo(revision(120));
    }

    @Test
    void any_synchronization_fulfills_a_resync_request() {
        synced(120);
        long seen = machine.resyncRequest.answers();
        machine.resyncRequest.request(seen, 0);
        api.listsPage(130, null);
        run(new ReflectorState.Synchronizing(pods, SyncStart.CACHED), 3);

        assertThat(machine.resyncRequest.isRequested()).isFalse();
        machine.resyncRequest.request(seen, 0);
        assertThat(machine.resyncRequest.isRequested()).isFalse();
    }

    /** A watch-list that is cut off leaves no trace (list-watch.md#go-46). */
    @Test
    @TransitionRow("Streaming: end, cut")
    void watch_list_cut_before_the_end_of_its_initial_events_leaves_the_mirror_unchanged() {
        machine = stateMachine(Strategy.AUTO);
        api.streams(
                new WatchFrame.Added(object("a/x", 101), null),
                new WatchFrame.Broken("cut", BrokenKind.CUT));

        ReflectorState end = run(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT), 3);

        assertThat(resting(end).next())
                .isEqualTo(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT));
        assertThat(mirror.snapshot()).isEmpty();
    }

    /** Watch-list answered with 422: a list in the same round (list-watch.md#go-40). */
    @Test
    @TransitionRow({
        "Synchronizing: any other failure, strategy auto",
        "Synchronizing: strategy is a list, or watches are not allowed, or the"
                + " server has refused streams twice in a row within the hour"
    })
    void server_without_watch_lists_is_listed_immediately_and_retried_after_an_hour() {
        machine = stateMachine(Strategy.AUTO);
        ReflectorState listing =
                new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT, FetchMethod.PAGES);
        api.answersWatch(refused(422, "Invalid")).answersWatch(refused(422, "Invalid"));

        assertThat(synchronizing()).isEqualTo(listing);
        assertThat(synchronizing()).isEqualTo(listing);
        assertThat(synchronizing()).isEqualTo(listing);
        assertThat(api.watches).hasSize(2);

        now = now.plus(Duration.ofMinutes(61));
        api.streams();
        assertThat(synchronizing()).isInstanceOf(ReflectorState.Streaming.class);
    }

    /**
     * A watch-list that is expired or too large is repeated at once without a revision
     * (list-watch.md#up-23).
     */
    @Test
    @TransitionRow("Streaming: 410 or too large, asked with a revision")
    void watch_list_from_an_expired_revision_restarts_immediately_without_a_revision() {
        machine = stateMachine(Strategy.AUTO);
        synced(120);
        api.streams(new WatchFrame.Failed(status(410, "Expired")));
        api.streams();

        ReflectorState end = run(new ReflectorState.Synchronizing(pods, SyncStart.CACHED), 2);

        assertThat(end).isInstanceOf(ReflectorState.Streaming.class);
        assertThat(api.watches)
                .extracting(WatchRequest::revision)
                .containsExactly(revision(120), null);
        assertThat(slept).isZero();
    }

    /** A second later than the one before, as no two lists follow each other faster. */
    private ReflectorState synchronizing() {
        now = now.plusSeconds(2);
        return step(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT));
    }

    @Test
    @TransitionRow("Synchronizing: any other failure, strategy watch-list")
    void configured_watch_list_is_not_replaced_by_a_list() {
        machine = stateMachine(Strategy.WATCH_LIST);
        api.answersWatch(refused(422, "Invalid"));

        assertThat(
                        resting(step(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT)))
                                .next())
                .isEqualTo(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT));
    }

    /**
     * If watches are not allowed, the collection is listed every few seconds (list-watch.md#up-35).
     */
    @Test
    @TransitionRow({
        "Opening: 405",
        "Paging: last page, watches are not allowed",
        "Synchronizing: strategy is a list, or watches are not allowed, or the"
                + " server has refused streams twice in a row within the hour"
    })
    void unwatchable_collection_is_listed_every_five_seconds() {
        synced(120);
        api.answersWatch(refused(405, "MethodNotAllowed"));

        ReflectorState.BackingOff resting = resting(step(new ReflectorState.Opening(pods)));
        assertThat(resting.delay()).isEqualTo(Duration.ofSeconds(5));
        assertThat(resting.next())
                .isEqualTo(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT));
        assertThat(mirror.upstream().phase()).isEqualTo(Phase.POLLING);
        assertThat(mirror.upstream().problem()).contains("does not allow watches");

        api.listsPage(130, null, object("a/x", 125));
        assertThat(run(resting, 4)).isEqualTo(resting);
        assertThat(mirror.revision()).isEqualTo(revision(130));
    }

    /**
     * If watches are not allowed, the collection is listed every few seconds (list-watch.md#up-35).
     */
    @Test
    void watch_on_an_unwatchable_collection_is_retried_after_an_hour() {
        synced(120);
        api.answersWatch(refused(405, "MethodNotAllowed"));
        ReflectorState polling = step(new ReflectorState.Opening(pods));

        now = now.plus(Duration.ofMinutes(61));
        api.listsPage(130, null);
        assertThat(run(polling, 4)).isEqualTo(new ReflectorState.Opening(pods));
    }

    @Test
    void watch_list_with_405_is_replaced_by_polling() {
        machine = stateMachine(Strategy.AUTO);
        api.answersWatch(refused(405, "MethodNotAllowed"))
                .listsPage(130, null)
                .listsPage(140, null);

        ReflectorState polling =
                run(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT), 3);
        assertThat(mirror.upstream().phase()).isEqualTo(Phase.POLLING);
        run(polling, 4);
        assertThat(api.watches).hasSize(1);
        assertThat(mirror.revision()).isEqualTo(revision(140));
    }

    /**
     * A resource is listed at most once per half second, and once per second after a failure
     * (list-watch.md#bo-4).
     */
    @Test
    @TransitionRow("Synchronizing: too soon after the last")
    void consecutive_synchronizations_start_half_a_second_apart() {
        ReflectorState synchronizing =
                new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT);
        api.listsPage(120, null);
        run(synchronizing, 3);

        assertThat(step(synchronizing))
                .isEqualTo(new ReflectorState.BackingOff(Duration.ofMillis(500), synchronizing));
    }

    @Test
    @TransitionRow("Watching: end, cut or silence over and over")
    void watch_that_keeps_ending_is_reopened_at_a_limited_rate() {
        synced(120);
        ReflectorState state = new ReflectorState.Opening(pods);
        for (int i = 0; i < 10; i++) {
            api.streams(new WatchFrame.Bookmark(revision(121 + i), false), new WatchFrame.Ended());
            state = run(state, 3);
        }

        assertThat(resting(state).next()).isEqualTo(new ReflectorState.Opening(pods));
        assertThat(resting(state).delay()).isEqualTo(Duration.ofSeconds(1));
    }

    /**
     * A watch-list that stays silent before it is complete is given up after initial-silence
     * (list-watch.md#up-28).
     */
    @Test
    void watch_list_request_uses_the_configured_initial_silence() {
        ReflectorSettings settings =
                ReflectorEnvironments.settings(
                        Strategy.WATCH_LIST,
                        500,
                        ObjectTransform.NONE,
                        List.of(),
                        ReflectorEnvironments.timeouts(
                                Duration.ZERO,
                                Duration.ZERO,
                                Duration.ofSeconds(20),
                                Duration.ZERO));
        api.streams();

        step(
                new StateMachine(api, writer, settings, reflectorEnvironment(), counts),
                new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT));

        assertThat(api.watches.getFirst().initialSilence()).isEqualTo(Duration.ofSeconds(20));
    }

    /**
     * A watch-list that stays silent before it is complete is given up after initial-silence
     * (list-watch.md#up-28).
     */
    @Test
    @TransitionRow("Streaming: silence, strategy auto")
    void silent_watch_list_is_replaced_by_an_immediate_list() {
        machine = stateMachine(Strategy.AUTO);
        FakeSource.FakeStream stream =
                api.streams(new WatchFrame.Added(object("a/x", 101), null), SILENCE);

        ReflectorState end = run(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT), 3);

        assertThat(end)
                .isEqualTo(
                        new ReflectorState.Synchronizing(
                                pods, SyncStart.MOST_RECENT, FetchMethod.PAGES));
        assertThat(stream.closed).isTrue();
        assertThat(slept).isZero();
        assertThat(mirror.snapshot()).isEmpty();
        assertThat(counts.get(Counter.WATCHES_FAILED)).isOne();
    }

    /**
     * A watch-list that stays silent is given up, and a list follows in the same round
     * (list-watch.md#up-28).
     */
    @Test
    void watch_list_is_retried_an_hour_after_it_fell_silent_twice() {
        machine = stateMachine(Strategy.AUTO);
        ReflectorState listing =
                new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT, FetchMethod.PAGES);
        api.streams(SILENCE);
        api.streams(SILENCE);
        assertThat(step(synchronizing())).isEqualTo(listing);
        assertThat(step(synchronizing())).isEqualTo(listing);

        assertThat(synchronizing()).isEqualTo(listing);
        assertThat(api.watches).hasSize(2);

        now = now.plus(Duration.ofMinutes(61));
        api.streams();
        assertThat(synchronizing()).isInstanceOf(ReflectorState.Streaming.class);
    }

    /**
     * A watch-list that stays silent before it is complete is given up after initial-silence
     * (list-watch.md#up-28).
     */
    @Test
    @TransitionRow("Streaming: silence, strategy watch-list")
    void configured_watch_list_that_falls_silent_is_retried() {
        machine = stateMachine(Strategy.WATCH_LIST);
        for (int i = 0; i < 3; i++) {
            api.streams(SILENCE);
            assertThat(resting(step(synchronizing())).next())
                    .isEqualTo(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT));
        }
        assertThat(mirror.upstream().problem()).contains("paused for too long");
        assertThat(api.lists).isEmpty();
    }

    /**
     * Several reflectors start at random times, and the number of lists at the same time is limited
     * (list-watch.md#bo-7).
     */
    @Test
    void reflectors_start_after_random_delays() {
        ReflectorSettings spread =
                ReflectorEnvironments.settings(
                        Strategy.AUTO,
                        500,
                        ObjectTransform.NONE,
                        List.of(),
                        ReflectorEnvironments.timeouts(
                                Duration.ofSeconds(1),
                                Duration.ofSeconds(30),
                                Duration.ofSeconds(20),
                                Duration.ZERO));
        machine = new StateMachine(api, writer, spread, reflectorEnvironment(), counts);

        assertThat(resting(machine.first()).next()).isEqualTo(new ReflectorState.Resolving());
        assertThat(resting(machine.first()).delay())
                .isLessThan(Duration.ofSeconds(1))
                .isNotEqualTo(resting(machine.first()).delay());
    }

    /**
     * A watch from a revision of the future is accepted and silent (list-watch.md#re-12, #wa-10).
     */
    @Test
    @TransitionRow("Opening: accepted after a time without a server that is now behind the mirror")
    void server_behind_the_mirror_after_an_outage_is_listed() {
        api.listsPage(119, null);

        assertThat(openedAfterARefusedConnection())
                .isEqualTo(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT));
        assertThat(api.lists).containsExactly(new ListRequest(pods, null, 1, null));
    }

    /** A server that stops may break the connection of a watch request instead of refusing it. */
    @Test
    @TransitionRow("Opening: accepted after a time without a server that is now behind the mirror")
    void server_behind_the_mirror_after_a_broken_connection_is_listed() {
        api.listsPage(119, null);

        assertThat(openedAfter(new Failure.Unreachable("Connection reset", false)))
                .isEqualTo(new ReflectorState.Synchronizing(pods, SyncStart.MOST_RECENT));
    }

    @Test
    @TransitionRow("Opening: accepted")
    void server_as_new_as_the_mirror_after_an_outage_is_watched() {
        api.listsPage(120, "token", object("a/x", 7));

        assertThat(openedAfterARefusedConnection()).isInstanceOf(ReflectorState.Watching.class);
        assertThat(mirror.snapshot().orElseThrow().objects()).isEmpty();
    }

    @Test
    @TransitionRow("Opening: accepted")
    void server_that_does_not_report_its_revision_after_an_outage_is_watched() {
        api.lists(refused(403, "Forbidden"));

        assertThat(openedAfterARefusedConnection()).isInstanceOf(ReflectorState.Watching.class);
        assertThat(api.lists).hasSize(1);
    }

    @Test
    void server_is_verified_once_after_an_outage() {
        api.listsPage(120, null);
        openedAfterARefusedConnection();
        api.streams();

        assertThat(step(new ReflectorState.Opening(pods)))
                .isInstanceOf(ReflectorState.Watching.class);
        assertThat(api.lists).hasSize(1);
    }

    @Test
    void defect_while_the_server_is_verified_closes_the_watch() {
        synced(120);
        api.answersWatch(new Failure.Unreachable("connection refused", true));
        FakeSource.FakeStream stream = api.streams();
        ReflectorState opening = run(new ReflectorState.Opening(pods), 2);

        assertThatThrownBy(() -> step(opening)).isInstanceOf(NoSuchElementException.class);
        assertThat(stream.closed).isTrue();
    }

    private ReflectorState openedAfterARefusedConnection() {
        return openedAfter(new Failure.Unreachable("connection refused", true));
    }

    private ReflectorState openedAfter(Failure.Unreachable failure) {
        synced(120);
        api.answersWatch(failure).streams();
        return run(new ReflectorState.Opening(pods), 3);
    }
}
