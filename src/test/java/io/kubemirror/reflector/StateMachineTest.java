package io.kubemirror.reflector;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.revision;
import static io.kubemirror.testing.KubeObjects.selection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.mirror.Subscription;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.mirror.UpstreamStatus.State;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.Scope;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.model.SelectableFields.SelectableField;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.FakeSource.FakeStream;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.ReflectorState.BackingOff;
import io.kubemirror.reflector.ReflectorState.Streaming;
import io.kubemirror.reflector.ReflectorState.Synchronizing;
import io.kubemirror.reflector.ReflectorState.Watching;
import io.kubemirror.source.Failure;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.ListMeta;
import io.kubemirror.source.Source.ListRequest;
import io.kubemirror.source.Source.WatchRequest;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.ReflectorEnvironments;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests the rows of the table in {@code src/docs/reflector.md}, one transition per test, on a clock
 * that the test moves.
 */
class StateMachineTest extends StateMachineHarness {

    /**
     * Single transitions: the row, the strategy, what the server answers or sends, and what
     * follows, at once or after the wait that the row names.
     */
    static final String TRANSITIONS =
            """
            Resolving: any failure | LIST_WATCH | refused | resolving
            Synchronizing: 429, connection refused | AUTO | 429 | synchronizing
            Synchronizing: 429, connection refused | AUTO | refused | synchronizing
            Synchronizing: 404, strategy watch-list | WATCH_LIST | 404 | resolving
            Synchronizing: any other failure, strategy watch-list | WATCH_LIST | 422 | synchronizing
            Streaming: 429, connection refused | AUTO | 429 | synchronizing
            Streaming: any other failure, strategy auto | AUTO | 500 | listing
            Streaming: any other failure, strategy watch-list | WATCH_LIST | 500 | synchronizing
            Streaming: 404, strategy watch-list | WATCH_LIST | 404 | resolving
            Streaming: end, cut | AUTO | cut | synchronizing
            Streaming: silence, strategy auto | AUTO | silent | listing
            Streaming: silence, strategy watch-list | WATCH_LIST | silent | synchronizing
            Streaming: nonsense, strategy auto | AUTO | nonsense | listing
            Streaming: nonsense, strategy watch-list | WATCH_LIST | nonsense | synchronizing
            Paging: 410 on the first page, asked without a revision | LIST_WATCH | 410 | synchronizing
            Paging: 404 | LIST_WATCH | 404 | resolving
            Opening: 429, connection refused | LIST_WATCH | 429 | opening
            Opening: 429, connection refused | LIST_WATCH | refused | opening
            Opening: connection broken before the answer | LIST_WATCH | reset | opening
            Opening: any other failure | LIST_WATCH | 410 | resynchronizing
            Opening: any other failure | LIST_WATCH | 403 | resynchronizing
            Opening: any other failure | LIST_WATCH | malformed | resynchronizing
            Watching: end or cut within a second, without a frame | LIST_WATCH | ended | opening
            Watching: end or cut within a second, without a frame | LIST_WATCH | cut | opening
            Watching: ERROR 429, or ERROR 500 for a while | LIST_WATCH | 429 | opening
            Watching: any other ERROR | LIST_WATCH | 410 | resynchronizing
            Watching: any other ERROR | LIST_WATCH | 400 | resynchronizing
            Watching: nonsense, or an object that replaced another unseen \
            | LIST_WATCH | nonsense | resynchronizing
            """;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = TRANSITIONS)
    void answer_leads_to_the_next_state_and_leaves_the_content(
            String row, Strategy strategy, String answer, String next) {
        machine = stateMachine(strategy);
        ReflectorState before = before(row.substring(0, row.indexOf(':')), answer);
        var content = mirror.position();

        ReflectorState after = step(before);

        assertThat(table.says(row, new StateTable.Transition(before, after))).isTrue();
        assertThat(after instanceof BackingOff waiting ? waiting.next() : after)
                .isEqualTo(
                        switch (next) {
                            case "resolving" -> RESOLVING;
                            case "synchronizing" -> synchronizing;
                            case "listing" -> listing;
                            case "opening" -> opening;
                            default -> resynchronizing;
                        });
        assertThat(mirror.position()).isEqualTo(content);
        if (before instanceof Streaming || before instanceof Watching) {
            assertThat(api.lastStream().closed).isTrue();
        }
    }

    /** What is tried again four times, and leads to a list without a revision the fifth time. */
    static final String FIFTH =
            """
            Opening: any other failure | 500
            Opening: connection broken for the fifth time in a row | reset
            Watching: any other ERROR | 500
            Watching: end or cut within a second, without a frame, for the fifth time in a row | ended
            """;

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = FIFTH)
    void fifth_failure_in_a_row_leads_to_a_list_without_a_revision(String row, String answer) {
        String state = row.substring(0, row.indexOf(':'));
        for (int i = 0; i < 4; i++) {
            assertThat(afterBackoff(step(before(state, answer)))).isNotEqualTo(synchronizing);
        }
        ReflectorState before = before(state, answer);
        ReflectorState after = step(before);

        assertThat(table.says(row, new StateTable.Transition(before, after))).isTrue();
        assertThat(afterBackoff(after)).isEqualTo(synchronizing);
    }

    /** What a course is about, its rows, its strategy, and the steps of {@link #course}. */
    static final String COURSES =
            """
            a type that is found is published and synchronized | Resolving: type found | LIST_WATCH | type pods; from resolving; step 1; is synchronizing
            an absent type is looked up again | Resolving: no such type | LIST_WATCH | type unknown pods; from resolving; step 1; waits resolving PT30S; phase ABSENT; problem did you mean pods in kubemirror.resources?
            the first list is paged and requests no revision | Synchronizing: strategy is a list, or watches are not allowed, or the server has refused streams twice in a row within the hour & Synchronizing: a list & Paging: a page with a token & Paging: last page | LIST_WATCH | list 110 t1 a/x@101; list 110 - a/y@102; from synchronizing; step 4; is opening; lists null/500/null null/500/t1; mirror 110 a/x@101 a/y@102
            a list that fails on a later page leaves the mirror empty | Paging: any other failure | LIST_WATCH | list 110 t1 a/x@101; list fails reset; from synchronizing; step 4; waits synchronizing; mirror empty; counted LISTS_FAILED
            # Two hundred pages would otherwise begin again (list-watch.md#bo-8).
            a page that is refused for a time is requested again | Paging: Retry-After on a later page | LIST_WATCH | list 110 t1 a/x@101; list fails throttled; list 110 - a/y@102; from synchronizing; step 4; waits paging; phase BACKING_OFF; step 2; is opening; lists null/500/null null/500/t1 null/500/t1; mirror 110 a/x@101 a/y@102
            # A later page is expired: one list in one piece (list-watch.md#up-7).
            an expired page restarts the list without pages | Paging: 410 on a later page | LIST_WATCH | list 110 t1 a/x@101; list fails 410; list 115 - a/x@101 a/y@112; from synchronizing; step 6; is opening; lists null/500/null null/500/t1 null/0/null; slept PT0S
            # list-watch.md#up-31, second half.
            a revision that the server does not know is omitted at once | Paging: 410 or too large on the first page, asked with a revision | LIST_WATCH | synced 120; list fails too-large; list 130 -; from resynchronizing; step 5; is opening; lists 120/0/null null/500/null; slept PT0S; counted RESYNCS_BRIDGED
            # A list older than the mirror is believed only if a second one confirms it (list-watch.md#go-52).
            a list older than the mirror is repeated | Paging: complete, but older than the mirror & BackingOff: the time is over | LIST_WATCH | synced 120 a/x@100 a/y@119; list fails too-large; list 118 - a/x@100; list 121 - a/x@100; from resynchronizing; step 5; waits confirming-pages; mirror 120 a/x@100 a/y@119; step 3; is opening; mirror 121 a/x@100
            # A server that was restored from a backup causes a break (list-watch.md#re-12).
            a second list older than the mirror is accepted | '' | LIST_WATCH | synced 120 a/x@100 a/y@119; list fails too-large; list 118 -; list 118 - a/x@100; from resynchronizing; step 8; is opening; mirror 118 a/x@100; counted RESYNCS_BROKEN
            events and bookmarks update the mirror | Watching: event, bookmark, foreign frame | LIST_WATCH | synced 120 a/x@100; from watching +a/y@121 ~a/x@122 -a/y@123 b130 foreign; step 5; mirror 130 a/x@122
            # list-watch.md#up-40
            a watch that ends cleanly is opened again at once | Watching: end, cut or silence after a frame or a second | LIST_WATCH | synced 120; watch ended; from opening; step 1; pass 400; step 1; is opening; closed true; slept PT0S
            an object that replaced another without a free revision is listed | Watching: nonsense, or an object that replaced another unseen | LIST_WATCH | synced 120 a/x:u@100; from watching +a/x:v@121; step 1; waits resynchronizing
            rejected credentials are reported with the property that leads to them | '' | LIST_WATCH | list fails 401; from synchronizing; step 3; problem check the credentials that kubemirror.upstream refers to
            a custom resource is looked up again after its watch and keeps content that fits | Opening: malformed, or the watch cannot continue: custom resource & Watching: malformed, or the watch cannot continue: custom resource | LIST_WATCH | of widgets; synced 120 a/x@100; watch fails 410; type pods; from watching 410; step 1; waits resolving; from opening; step 1; waits resolving; of pods; from resolving; step 1; is synchronizing; mirror 120 a/x@100
            # The kind of its objects may be another one.
            a custom resource is looked up again after a malformed list | Paging: malformed, or the watch cannot continue: custom resource | LIST_WATCH | of widgets; list fails malformed; from whole; step 2; waits resolving
            a watch that keeps ending is opened again at a limited rate | Watching: end, cut or silence over and over | LIST_WATCH | synced 120; watch b121 ended; watch b122 ended; watch b123 ended; watch b124 ended; watch b125 ended; watch b126 ended; watch b127 ended; watch b128 ended; watch b129 ended; watch b130 ended; from opening; step 30; waits opening PT1S
            a watch-list with a broken connection is retried once, and then a list | Synchronizing: connection broken before the answer, for the first time | AUTO | watch fails reset; watch fails reset; pass 2; from synchronizing; step 1; waits synchronizing; pass 3; from synchronizing; step 1; is listing
            a watch-list that is cut again is replaced by a list | Streaming: end, cut after another failure, strategy auto | AUTO | watch cut; from synchronizing; step 2; pass 1; watch cut; from synchronizing; step 2; waits listing
            # It is repeated at once without a revision (list-watch.md#up-20).
            a watch-list that is refused for its revision is repeated without | Synchronizing: 410 or too large, asked with a revision | AUTO | synced 120; watch fails too-large; watch; from resynchronizing; step 1; is streaming; watches 120 null
            a watch-list from an expired revision is repeated without | Streaming: 410 or too large, asked with a revision | AUTO | synced 120; watch 410; watch; from resynchronizing; step 2; is streaming; watches 120 null; slept PT0S
            a watch-list older than the mirror is repeated | Streaming: end of the initial events, older than the mirror | WATCH_LIST | synced 120 a/x@100 a/y@119; watch +a/x@100 e118; from resynchronizing; step 3; waits confirming; mirror 120 a/x@100 a/y@119; watch +a/x@100 e118; step 4; is watching; mirror 118 a/x@100
            a watch-list delivers the initial state and goes on as the watch | Synchronizing: a stream is accepted & Streaming: event, bookmark, foreign frame & Streaming: end of the initial events | AUTO | watch +a/x@101 +a/y@102 b105 -a/y@108 e110 +a/z@111; from synchronizing; step 5; mirror empty; step 1; is watching; mirror 110 a/x@101; step 1; mirror 111 a/x@101 a/z@111; watches null; closed false
            # Watch-list answered with 422: a list in the same round (list-watch.md#up-25).
            a server without watch-lists is listed at once, and asked again after an hour | Synchronizing: any other failure, strategy auto | AUTO | watch fails 422; watch fails 422; pass 2; from synchronizing; step 1; is listing; pass 2; from synchronizing; step 1; is listing; watches null null; pass 2; from synchronizing; step 1; is listing; watches null null; pass 3662; watch; from synchronizing; step 1; is streaming
            # If watches are not allowed, the collection is listed every few seconds (list-watch.md#up-35).
            a collection without watches is listed every five seconds | Opening: 405 & Paging: last page, watches are not allowed | LIST_WATCH | synced 120; watch fails 405; from opening; step 1; waits synchronizing PT5S; phase POLLING; problem does not allow watches; list 130 - a/x@125; step 4; waits synchronizing PT5S; mirror 130 a/x@125
            # Three lists may follow each other at once (list-watch.md#bo-4).
            a fourth list in a row waits | Synchronizing: too soon after the last | LIST_WATCH | list 120 -; from synchronizing; step 3; list 121 -; from synchronizing; step 3; list 122 -; from synchronizing; step 3; from synchronizing; step 1; waits synchronizing PT1.2S
            # A watch from a revision of the future is accepted and silent (list-watch.md#re-12, #wa-10).
            a server behind the mirror after an outage is listed | Opening: accepted after a time without a server that is now behind the mirror | LIST_WATCH | list 119 -; synced 120; watch fails refused; watch; from opening; step 3; is synchronizing; lists null/1/null
            a server that does not report its revision after an outage is watched | Opening: accepted | LIST_WATCH | list fails 403; synced 120; watch fails refused; watch; from opening; step 3; is watching; lists null/1/null
            # Lists with a watch beside them (list-watch.md#parallel-lists). The first page is asked for without a revision (list-watch.md#pp-1).
            a list of one page opens no watch beside it | '' | LIST_WATCH_PARALLEL | list 200 - a/x@101; from listing; step 2; is opening; watches
            # Otherwise a watch begins at the revision of the first page (list-watch.md#pp-1, #pp-4, #pp-9).
            events beside a list are applied after it | Paging: the first page with a token, strategy list-watch-parallel, or auto after a list or its watch expired & Paging: last page, with a watch beside it | LIST_WATCH_PARALLEL | list 200 t a/x@101; list 200 u a/y@102; list 200 - a/z@103; watch ~a/y@203; from listing; step 4; is watching; watches 200; mirror 200 a/x@101 a/y@102 a/z@103; step 1; mirror 203 a/x@101 a/y@203 a/z@103
            the watch beside a list stays open while a page is refused for a time | '' | LIST_WATCH_PARALLEL | list 200 t a/x@101; list fails throttled; list 200 - a/y@102; watch ~a/y@203; from listing; step 3; waits paging; closed false; step 2; is watching; close; closed true
            # All pages must have that revision (list-watch.md#pp-3).
            pages of different revisions are discarded | Paging: pages of different revisions | LIST_WATCH_PARALLEL | list 200 t a/x@101; list 201 - a/y@102; watch; from listing; step 3; is backingoff; mirror empty; closed true
            a list that fails closes the watch beside it | Paging: any other failure | LIST_WATCH_PARALLEL | list 200 t a/x@101; list fails 500; watch; from listing; step 3; waits synchronizing; closed true
            a list of a type that is gone closes the watch beside it | Paging: 404 | LIST_WATCH_PARALLEL | list 200 t a/x@101; list fails 404; watch; from listing; step 3; waits resolving; closed true
            # If the watch fails, its events are dropped and the list continues as usual (list-watch.md#pp-6).
            a list continues alone if the watch beside it is refused | Paging: the first page with a token, but the watch beside it is refused | LIST_WATCH_PARALLEL | list 200 t a/x@101; list 200 -; watch fails 500; from listing; step 3; is opening; mirror 200 a/x@101
            # If a later page is expired, the collection is listed in one piece (list-watch.md#up-7).
            an expired page restarts the list without the watch beside it | Paging: 410 on a later page | LIST_WATCH_PARALLEL | list 200 t a/x@101; list fails 410; watch; from listing; step 3; is whole; closed true
            events before the end of the watch beside a list are applied (list-watch.md#pp-6) | '' | LIST_WATCH_PARALLEL | list 200 t a/x@101; list 200 - a/y@102; watch ~a/y@203 ended; from listing; step 5; is opening; mirror 203 a/x@101 a/y@203
            there is a watch beside the list after a page expired | '' | AUTO | list 200 t a/x@101; list fails 410; from listing; step 3; watches; list 220 t a/x@101; watch; from listing; step 2; beside true
            there is a watch beside the list after its revision expired for a watch | '' | AUTO | list 200 -; watch fails 410; from listing; step 3; list 220 t a/x@101; watch; from listing; step 2; beside true
            # A mirror that was restored from disk, at revision 120.
            an object that restored content lacks is that of another server | Opening: accepted by another server than that whose content was restored | LIST_WATCH | restored a/x@100; list 125 token a/other@90; type pods; watch; from resolving; step 2; is synchronizing
            a server that went back since is noticed | Opening: accepted by another server than that whose content was restored | LIST_WATCH | restored a/x@100; list 119 -; type pods; watch; from resolving; step 2; is synchronizing
            an object that has changed since confirms the server | Opening: accepted | LIST_WATCH | restored a/x@100; list 125 - a/x@124; type pods; watch; from resolving; step 2; is watching
            a restored mirror is watched after a list of one object | Resolving: type found, and the mirror has been restored from disk & Opening: accepted | LIST_WATCH | restored a/x@100; list 125 token a/x@100; type pods; watch; from resolving; step 2; is watching; lists null/1/null; state SYNCED; checked true
            # A server that starts may not have published its types yet.
            restored content is dropped only if its type is missing twice | '' | LIST_WATCH | restored a/x@100; type unknown; type pods; type unknown; type unknown; from resolving; step 1; waits resolving PT0.891S; step 2; is opening; mirror 120 a/x@100 b/y@115; from resolving; step 3; mirror empty; kind none; phase ABSENT
            # Its type has just been looked up, and would lead to the same watch again.
            a restored custom resource whose revision is expired is listed | '' | LIST_WATCH | of widgets; restored a/x@100; watch fails 410; from opening; step 1; waits resynchronizing
            # Objects may look different after an early end of a watch, or from disk (list-watch.md#up-48).
            objects of another schema are listed after ended | Opening: accepted by a server that shows the objects in another way | LIST_WATCH | FILLED; watch b130 ended; from opening; step 3; shows v1.37; watch; step 1; is resolving; closed true; state RESYNCING
            objects of the same schema are watched on after ended | '' | LIST_WATCH | FILLED; watch b130 ended; from opening; step 3; watch; step 1; is watching; lists null/500/null
            objects of another schema are listed after cut | Opening: accepted by a server that shows the objects in another way | LIST_WATCH | FILLED; watch b130 cut; from opening; step 3; shows v1.37; watch; step 1; is resolving; closed true; state RESYNCING
            objects of the same schema are watched on after cut | '' | LIST_WATCH | FILLED; watch b130 cut; from opening; step 3; watch; step 1; is watching; lists null/500/null
            objects of another schema are listed after 429 | Opening: accepted by a server that shows the objects in another way | LIST_WATCH | FILLED; watch b130 429; from opening; step 3; step 1; shows v1.37; watch; step 1; is resolving; closed true; state RESYNCING
            objects of the same schema are watched on after 429 | '' | LIST_WATCH | FILLED; watch b130 429; from opening; step 3; step 1; watch; step 1; is watching; lists null/500/null
            objects of another schema are listed after 500 | Opening: accepted by a server that shows the objects in another way | LIST_WATCH | FILLED; watch b130 500; from opening; step 3; step 1; shows v1.37; watch; step 1; is resolving; closed true; state RESYNCING
            objects of the same schema are watched on after 500 | '' | LIST_WATCH | FILLED; watch b130 500; from opening; step 3; step 1; watch; step 1; is watching; lists null/500/null
            # The API server says that it initializes the storage of a type again.
            a watch that is refused is a sign of another schema | '' | LIST_WATCH | FILLED; watch fails 429; shows v1.37; watch; from opening; step 3; is resolving
            a watch that lasts as long as requested costs no request | '' | LIST_WATCH | FILLED; watch ended; from opening; step 1; pass 600; shows v1.37; watch; step 2; is watching
            an unknown schema is listed after an early end | '' | LIST_WATCH | FILLED; watch b130 ended; from opening; step 3; shows fails 403; watch; step 1; is resolving
            # Another server behind the same address may not know the definition yet.
            early ends soon after a change are listed | '' | LIST_WATCH | FILLED; watch b130 ended; from opening; step 3; shows v1.37; watch; step 1; RELISTED; watch b130 ended; from opening; step 3; watch; step 1; is resolving; RELISTED; pass 100; watch b130 ended; from opening; step 3; watch; step 1; is watching
            restored content of another schema is listed | '' | LIST_WATCH | restored a/x@100; type pods; shows v1.37; from resolving; step 1; is synchronizing
            # What an audit finds and requests (list-watch.md#ca-6).
            a difference leads to a list that breaks the history | Watching: an audit found a difference | LIST_WATCH | synced 120 a/x@101 a/y@102; identify; watch ~a/y@125 -a/x@126; from opening; step 3; list 126 - a/x@101 a/y@102; audit Different[how=1 missing, 0 surplus, 1 in a different state]; closed true; list 126 - a/x@101 a/y@102; step 4; is opening; mirror 126 a/x@101 a/y@102; counted RESYNCS_BROKEN
            a server that is behind is asked for its most recent state | Watching: an audit found a difference | LIST_WATCH | synced 120 a/x@101; identify; watch; from opening; step 1; list fails too-large; audit Different[how=the server does not have it]; closed true; step 1; is synchronizing; counted AUDITS_DIFFERENT
            an audit sends no request unless the mirror is watching | '' | LIST_WATCH | audit Untimely[]; synced 120; identify; watch nonsense; from opening; step 2; is backingoff; audit Untimely[]; lists
            # The type has no watch verb in discovery, so no watch is even tried.
            a type without the watch verb is polled, and its differences applied | '' | AUTO | type unwatchable; list 120 - a/x@110 a/y@111; list 130 - a/y@111 a/z@125; from resolving; step 4; is backingoff; waits synchronizing PT5S; phase POLLING; step 4; watches; mirror 130 a/y@111 a/z@125; counted RESYNCS_BRIDGED
            """;

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = COURSES)
    void course_goes_by_its_rows(String what, String rows, Strategy strategy, String steps) {
        course(rows, strategy, steps);
    }

    @Test
    void mirror_is_not_synced_while_the_server_takes_its_time_with_the_next_watch() {
        course("", Strategy.LIST_WATCH, "FILLED; watch b130 ended; from opening; step 3");
        List<State> meanwhile = new ArrayList<>();
        api.beforeAnswer(() -> meanwhile.add(mirror.upstream().state()));
        api.streams();

        assertThat(step(opening)).isInstanceOf(Watching.class);
        assertThat(meanwhile).containsExactly(State.RESYNCING);
        assertThat(mirror.upstream().state()).isEqualTo(State.SYNCED);
    }

    private ReflectorState before(String state, String answer) {
        return switch (state) {
            case "Resolving" -> {
                api.discovers(failure(answer));
                yield RESOLVING;
            }
            case "Streaming" -> {
                api.streams(frame(answer));
                yield step(synchronizing);
            }
            case "Paging" -> {
                api.lists(failure(answer));
                yield step(listing);
            }
            case "Opening" -> {
                synced(120);
                api.answersWatch(failure(answer));
                yield opening;
            }
            case "Watching" -> {
                synced(120);
                api.streams(frame(answer));
                yield step(opening);
            }
            default -> {
                api.answersWatch(failure(answer));
                yield synchronizing;
            }
        };
    }

    @Test
    void selectable_fields_of_a_custom_resource_definition_are_used() {
        SelectableField size = SelectableField.at(".spec.size");
        api.discovers(ServedTypes.WIDGETS).defines(size);

        assertThat(((Synchronizing) step(RESOLVING)).collection().shape().selectable())
                .containsExactly(size);
        assertThat(mirror.declaredFields()).isEqualTo(new DeclaredFields(List.of(size), ""));
    }

    @Test
    void forbidden_definition_does_not_block_synchronization_and_keeps_known_fields() {
        Failure denied = refused(403, "Forbidden");
        api.discovers(ServedTypes.WIDGETS).defines(denied);
        api.lists(Result.of(new ListMeta(revision(100), null, "Drawer")));

        assertThat(step(RESOLVING)).isInstanceOf(Synchronizing.class);
        assertThat(mirror.declaredFields())
                .isEqualTo(
                        new DeclaredFields(
                                List.of(), "Drawer", "HTTP 403 Forbidden: as scripted", ""));

        SelectableField size = SelectableField.at(".spec.size");
        api.discovers(ServedTypes.WIDGETS).defines(size);
        step(RESOLVING);
        api.discovers(ServedTypes.WIDGETS).defines(denied);
        step(RESOLVING);
        assertThat(mirror.declaredFields().fields()).containsExactly(size);
    }

    @Test
    void changed_selectable_fields_drop_the_mirror_content() {
        api.discovers(ServedTypes.WIDGETS);
        step(RESOLVING);
        synced(5);
        assertThat(mirror.snapshot()).isPresent();

        api.discovers(ServedTypes.WIDGETS);
        step(RESOLVING);
        assertThat(mirror.snapshot()).isPresent();

        api.discovers(ServedTypes.WIDGETS).defines(SelectableField.at("spec.size"));
        step(RESOLVING);
        assertThat(mirror.snapshot()).isEmpty();
    }

    @Test
    @TransitionRow("Resolving: type of cluster scope, but namespaces are configured")
    void namespaces_of_a_cluster_scoped_type_are_reported_as_a_configuration_error() {
        Mirror nodes =
                new Mirror(
                        new Scope(new ResourceName("nodes"), selection("a", "", "")),
                        Mirrors.window(),
                        Mirrors.READS,
                        Runnable::run,
                        System::nanoTime);
        StateMachine machine =
                new StateMachine(
                        api,
                        Mirrors.writer(nodes, () -> 0),
                        settings(Strategy.AUTO),
                        reflectorEnvironment(),
                        counts);
        api.discovers(ServedTypes.NODES);

        assertThat(step(machine, RESOLVING)).isInstanceOf(BackingOff.class);
        assertThat(nodes.upstream().problem())
                .contains("remove its namespaces from kubemirror.resources");
    }

    @Test
    @TransitionRow("Opening: accepted")
    void watch_opens_at_the_mirror_revision_for_five_to_ten_minutes() {
        synced(120);
        api.streams();

        assertThat(step(opening)).isInstanceOf(Watching.class);

        WatchRequest request = api.watches.getFirst();
        assertThat(request.revision()).isEqualTo(revision(120));
        assertThat(request.initialEvents()).isFalse();
        assertThat(request.timeout()).isBetween(Duration.ofMinutes(5), Duration.ofMinutes(10));
        assertThat(request.silence()).isEqualTo(request.timeout().plusSeconds(5));
        assertThat(mirror.upstream().phase()).isEqualTo(Phase.WATCHING);
    }

    @ParameterizedTest
    @CsvSource({"7, 7, 14", "999999, 60, 120"})
    void retry_after_is_obeyed_for_one_to_two_times_its_duration_and_two_minutes_at_most(
            int seconds, int least, int most) {
        synced(120);
        api.answersWatch(throttled(seconds));

        assertThat(resting(step(opening)).delay())
                .isBetween(Duration.ofSeconds(least), Duration.ofSeconds(most));
    }

    @Test
    void retry_after_is_obeyed_ten_times_and_then_counts_as_a_failure() {
        synced(120);
        api.answersWatches(11, throttled(7));
        for (int i = 0; i < 10; i++) {
            assertThat(resting(step(opening)).delay()).isGreaterThan(Duration.ofSeconds(7));
        }

        assertThat(resting(step(opening)).delay())
                .isBetween(Duration.ofMillis(800), Duration.ofMillis(1600));
    }

    @Test
    void first_410_after_an_outage_retries_quickly_and_the_second_backs_off() {
        synced(120);
        for (int i = 0; i < 6; i++) {
            api.answersWatch(refused(500, "InternalError"));
            run(opening, 2);
        }

        Duration first = resting(step(watching(failed(410, "Expired")))).delay();
        Duration second = resting(step(watching(failed(410, "Expired")))).delay();

        assertThat(first).isLessThan(Duration.ofMillis(400));
        assertThat(second).isGreaterThanOrEqualTo(Duration.ofSeconds(25));
        assertThat(counts.get(Counter.WATCHES_EXPIRED)).isEqualTo(2);
    }

    @Test
    void refused_connections_never_count_as_failures_of_the_revision() {
        synced(120);
        api.answersWatches(10, CONNECTION_REFUSED);
        for (int i = 0; i < 10; i++) {
            step(opening);
        }
        api.answersWatch(CONNECTION_RESET);

        assertThat(afterBackoff(step(opening))).isEqualTo(opening);
    }

    /** It may be another server that was restored from a backup. */
    @Test
    @TransitionRow("BackingOff: the server accepts connections again")
    void server_that_was_unreachable_is_asked_whether_it_went_back() {
        synced(120);
        BackingOff resting = unreachable(CONNECTION_REFUSED);
        api.listsPage(120, null).streams();
        api.accepting = () -> true;

        assertThat(run(resting, 2)).isInstanceOf(Watching.class);
        assertThat(slept).isLessThan(Duration.ofSeconds(2));
        assertThat(api.lists).containsExactly(new ListRequest(pods, null, 1, null));
    }

    /** Returns the long wait after so many failures. */
    private BackingOff unreachable(Failure failure) {
        api.answersWatches(7, failure);
        for (int i = 0; i < 6; i++) {
            step(opening);
        }
        return resting(step(opening));
    }

    @Test
    void server_that_accepts_and_drops_each_connection_is_left_to_the_backoff() {
        synced(120);
        BackingOff resting = unreachable(CONNECTION_RESET);
        api.accepting = () -> true;

        step(resting);

        assertThat(slept).isEqualTo(resting.delay()).isGreaterThan(Duration.ofSeconds(25));
    }

    @Test
    void broken_connection_waits_for_the_server_once_it_is_seen_to_be_down() {
        synced(120);
        BackingOff resting = unreachable(CONNECTION_RESET);
        api.lists(CONNECTION_RESET);
        Iterator<Boolean> looks = List.of(true, false, false).iterator();
        api.accepting = () -> !looks.hasNext() || looks.next();

        ReflectorState seenAgain = step(resting);
        assertThat(slept).isLessThan(Duration.ofSeconds(5));
        run(seenAgain, 4);

        assertThat(slept).isLessThan(Duration.ofSeconds(10));
    }

    @Test
    void backoff_after_a_certificate_error_ignores_accepted_connections() {
        synced(120);
        api.accepting = () -> true;
        api.answersWatch(
                new Failure.Unreachable("no certificate", Failure.Unreachable.Kind.UNTRUSTED));

        BackingOff resting = resting(step(opening));
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

    @ParameterizedTest
    @ValueSource(ints = {401, 403, 404, 410, 422, 429, 500, 503})
    void refusal_does_not_renew_the_age_of_the_content(int code) {
        Instant contact = contactAMinuteAgo();
        api.discovers(refused(code, "No")).lists(refused(code, "No"));
        api.answersWatch(refused(code, "No"));

        step(RESOLVING);
        step(opening);
        run(listing, 2);
        step(watching(failed(code, "No")));

        assertThat(mirror.upstream().contact()).isEqualTo(contact);
        assertThat(mirror.upstream().answer()).isEqualTo(now);
    }

    @Test
    void incomplete_watch_list_does_not_renew_the_age_of_the_content() {
        machine = stateMachine(Strategy.WATCH_LIST);
        Instant contact = contactAMinuteAgo();
        api.streams(added("a/x", 101), deleted("a/y", 102), bookmark(130), initialEventsEnd(131));

        ReflectorState streaming = run(synchronizing, 4);
        assertThat(mirror.upstream().contact()).isEqualTo(contact);

        step(streaming);
        assertThat(mirror.upstream().contact()).isEqualTo(now);
    }

    /** A client that waits for a state would be told that it is older than it is. */
    @Test
    void reader_that_sees_a_state_sees_when_the_server_showed_it() {
        contactAMinuteAgo();
        List<Instant> seen = new ArrayList<>();
        Subscription reader = mirror.subscribe(Selection.everything(), () -> seen.add(contact()));

        arm(reader);
        api.listsPage(130, null, object("a/x", 130));
        run(listing, 2);
        Instant listed = now;
        now = now.plusSeconds(60);
        arm(reader);
        step(watching(new WatchFrame.Modified(object("a/x", 140), null)));
        Instant modified = now;
        now = now.plusSeconds(60);
        arm(reader);
        step(watching(new WatchFrame.Bookmark(revision(150), false)));

        assertThat(seen).containsExactly(listed, modified, now);
    }

    private Instant contact() {
        return mirror.upstream().contact();
    }

    private void arm(Subscription reader) {
        assertThat(reader.arm(mirror.position().orElseThrow().cursor())).isTrue();
    }

    private Instant contactAMinuteAgo() {
        synced(120, object("a/x", 100));
        machine.reporter.contacted();
        Instant contact = now;
        now = now.plusSeconds(60);
        return contact;
    }

    private void outage() {
        machine.reporter.contacted();
        api.answersWatch(CONNECTION_REFUSED);
        step(opening);
        now = now.plusSeconds(1);
    }

    @Test
    @TransitionRow("Watching: a reader needs progress")
    void progress_request_compares_the_quiet_mirror_with_the_server_and_watches_from_there() {
        synced(120, object("a/x", 101));
        FakeStream stream = api.streams();
        ReflectorState watching = step(opening);

        machine.resyncRequest.requestProgress(revision(140));

        assertThat(stream.closed).isTrue();
        ReflectorState again = step(watching);
        assertThat(again).isEqualTo(opening);
        api.listsPage(140, null, object("a/x", 101));
        FakeStream next = api.streams();
        step(again);
        assertThat(api.lists.getLast().match()).isEqualTo(ListRequest.RevisionMatch.EXACT);
        assertThat(api.lists.getLast().revision()).isEqualTo(revision(140));
        assertThat(api.watches.getLast().revision()).isEqualTo(revision(140));
        assertThat(mirror.revision()).isEqualTo(revision(140));
        assertThat(mirror.view().recent().changes()).isZero();
        assertThat(counts.get(Counter.WATCHES_FAILED)).isZero();
        assertThat(slept).isZero();

        assertProgressInASecond(next);
    }

    private void assertProgressInASecond(FakeStream stream) {
        machine.resyncRequest.requestProgress(revision(150));
        assertThat(stream.closed).as("soon after").isFalse();
        now = now.plusSeconds(1);
        machine.resyncRequest.requestProgress(revision(150));
        assertThat(stream.closed).as("a second later").isTrue();
    }

    @Test
    void mirror_is_synced_while_progress_is_requested_long_after_an_early_end() {
        synced(120, object("a/x", 101));
        api.streams();
        ReflectorState watching = step(opening);
        machine.schema.suspect();
        machine.resyncRequest.requestProgress(revision(140));
        api.listsPage(140, null, object("a/x", 101));
        api.streams();
        api.beforeAnswer(() -> assertThat(mirror.upstream().state()).isEqualTo(State.SYNCED));
        step(step(watching));
    }

    /** Otherwise a server that takes a second to open a watch would never get to send events. */
    @Test
    void progress_request_while_a_watch_opens_leaves_it_open_for_a_second() {
        synced(120, object("a/x", 101));
        FakeStream stream = api.streams();
        api.beforeAnswer(() -> machine.resyncRequest.requestProgress(revision(140)));

        step(opening);

        assertThat(stream.closed).isFalse();
        assertProgressInASecond(stream);
    }

    /**
     * Several reflectors start at random times, and the number of lists at the same time is limited
     * (list-watch.md#bo-7).
     */
    @Test
    void reflectors_start_after_random_delays() {
        machine =
                stateMachine(
                        settings(
                                Strategy.AUTO,
                                ReflectorEnvironments.timeouts(
                                        Duration.ofSeconds(1), Duration.ZERO)));

        assertThat(afterBackoff(machine.first())).isEqualTo(RESOLVING);
        assertThat(resting(machine.first()).delay())
                .isLessThan(Duration.ofSeconds(1))
                .isNotEqualTo(resting(machine.first()).delay());
    }

    @Test
    @TransitionRow("Opening: accepted after a time without a server that is now behind the mirror")
    void server_that_shows_an_object_differently_after_an_outage_is_listed() {
        api.listsPage(120, "token", object("a/x", "uid-a/x", 7, Map.of("size", "7")));
        synced(120, object("a/x", 7));
        api.answersWatch(CONNECTION_REFUSED).streams();

        assertThat(run(opening, 3)).isEqualTo(synchronizing);
    }

    /** It may be an older one, whose watch would be silent for minutes. */
    @ParameterizedTest
    @MethodSource("passing_failures")
    @TransitionRow(
            "Opening: accepted after a time without a server that fails to tell its revision")
    void server_that_fails_to_report_its_revision_is_not_followed(Failure failure) {
        api.lists(Result.failed(failure)).listsPage(119, null);
        synced(120);
        api.answersWatch(CONNECTION_REFUSED).streams();
        assertThat(afterBackoff(run(opening, 3))).isEqualTo(opening);
        assertThat(api.lastStream().closed).isTrue();
        assertThat(mirror.upstream().state()).isEqualTo(State.STALE);

        api.streams();
        assertThat(step(opening)).isEqualTo(synchronizing);
    }

    static List<Failure> passing_failures() {
        return List.of(
                refused(429, "TooManyRequests"),
                refused(500, "InternalError"),
                refused(503, "ServiceUnavailable"),
                CONNECTION_RESET);
    }

    @Test
    void defect_while_the_server_is_verified_closes_the_watch() {
        synced(120);
        api.answersWatch(CONNECTION_REFUSED);
        FakeStream stream = api.streams();
        ReflectorState again = run(opening, 2);

        assertThatThrownBy(() -> step(again)).isInstanceOf(NoSuchElementException.class);
        assertThat(stream.closed).isTrue();
    }

    @Test
    void list_ends_after_too_many_pages_without_a_new_object() {
        api.listsPage(110, "t0", object("a/x", 101));
        for (int page = 1; page <= 101; page++) {
            api.listsPage(110, "t" + page, object("a/x", 101));
        }

        ReflectorState end = run(synchronizing, 104);

        assertThat(afterBackoff(end)).isEqualTo(synchronizing);
        assertThat(mirror.upstream().problem()).startsWith("the list does not end: ");
        assertThat(mirror.snapshot()).isEmpty();
        assertThat(api.lists).hasSize(102);
        assertThat(counts.get(Counter.LISTS_FAILED)).isOne();
    }

    /** Such a client has seen what the list does not show, so it must list. */
    @Test
    void client_ahead_of_the_restored_mirror_expires_if_a_list_was_needed() {
        restored(object("a/x", 100));
        assertThat(mirror.start(revision(122))).isInstanceOf(StartPosition.From.class);

        synced(130, object("a/x", 125));

        assertThat(mirror.start(revision(120))).isInstanceOf(StartPosition.From.class);
        assertThat(mirror.start(revision(122))).isEqualTo(new StartPosition.TooOld(revision(130)));
        assertThat(mirror.start(revision(130))).isInstanceOf(StartPosition.From.class);
    }
}
