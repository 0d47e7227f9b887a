package io.kubemirror.history;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.history.Operation.Act;
import io.kubemirror.history.Operation.Answer;
import io.kubemirror.history.Operation.Head;
import io.kubemirror.history.Operation.Mode;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Judges histories that are written by hand. Times are seconds. */
class CheckerTest {

    private static final String TYPE = "configmaps";
    private static final long SECOND = 1_000_000_000L;

    private final History history = new History();

    /** Two objects: one changes at 10 and 12 and ends at 13, the other one changes at 11. */
    CheckerTest() {
        history.stored(TYPE, one(10, "1"));
        history.stored(TYPE, other(11, "2"));
        history.stored(TYPE, one(12, "3"));
        history.stored(TYPE, new Version(0, "h-a/one", "", 13, "", "", true));
        history.stored(TYPE, other(14, "4"));
    }

    private static Version one(long revision, String value) {
        return new Version(0, "h-a/one", "u1", revision, value, "v", false);
    }

    private static Version other(long revision, String value) {
        return new Version(
                0, "h-a/two", "u2", revision, value, value.equals("2") ? "v" : "w", false);
    }

    private List<String> broken() {
        return new Checker(history, Set.of("verified"))
                .check().stream().map(Violation::promise).toList();
    }

    private static Answer listed(String state, long age, long revision, Version... objects) {
        return new Answer(
                new Head(0, 200, state, age, revision, ""),
                revision,
                -1,
                List.of(objects),
                List.of(),
                false);
    }

    private static Answer listed(long revision, Version... objects) {
        return listed("synced", 0, revision, objects);
    }

    private void add(Act act, Mode mode, long wanted, double called, Answer answer) {
        add("r0", Selected.ALL, act, mode, wanted, called, answer);
    }

    private String client = "c";

    private void add(
            String replica,
            Selected selected,
            Act act,
            Mode mode,
            long wanted,
            double called,
            Answer answer) {
        long from = (long) (called * SECOND);
        history.add(
                new Operation(
                        history.nextId(),
                        client,
                        replica,
                        1,
                        TYPE,
                        selected,
                        act,
                        mode,
                        wanted,
                        0,
                        "GET",
                        from,
                        from + SECOND / 2,
                        answer));
    }

    private void list(double called, Answer answer) {
        add(Act.LIST, Mode.RECENT, 0, called, answer);
    }

    private void write(double called, Version version) {
        Answer answer =
                new Answer(
                        new Head(0, 200, "", -1, version.revision(), ""),
                        version.revision(),
                        -1,
                        List.of(version),
                        List.of(),
                        false);
        add(Act.WRITE, Mode.RECENT, 0, called, answer);
    }

    private static Frame frame(String type, Version object) {
        return new Frame(SECOND, type, object, object.revision(), false);
    }

    private static Frame bookmark(long revision, boolean end) {
        return new Frame(SECOND, "BOOKMARK", Version.NONE, revision, end);
    }

    private void watch(Mode mode, long wanted, Selected selected, Frame... frames) {
        Answer answer =
                new Answer(
                        new Head(0, 200, "synced", 0, -1, ""),
                        -1,
                        -1,
                        List.of(),
                        Arrays.asList(frames),
                        false);
        add("r0", selected, Act.WATCH, mode, wanted, 0.5, answer);
    }

    private void error(Act act, Mode mode, long wanted, double called, int code, String message) {
        Head head = new Head(0, code, "synced", 0, -1, message);
        add(act, mode, wanted, called, new Answer(head, -1, -1, List.of(), List.of(), false));
    }

    private void fault(Fault.Kind kind, double from, double until) {
        history.add(new Fault(kind, "r0", (long) (from * SECOND), (long) (until * SECOND), false));
    }

    /** The API server has forgotten what the mirror missed. */
    private void listedAgain() {
        history.add(new Fault(Fault.Kind.RESTART_SERVER, Fault.SERVER, 0, 1, false));
        history.add(new Sample(0, 1, "r0", 1, TYPE, 0));
        history.add(new Sample(2, 3, "r0", 1, TYPE, 1));
    }

    private void resumed(Frame... frames) {
        watch(Mode.RESUME, 10, Selected.ALL, frames);
    }

    @Test
    void states_that_follow_each_other_are_legal() {
        list(1, listed(11, one(10, "1"), other(11, "2")));
        list(2, listed(12, one(12, "3"), other(11, "2")));
        add(Act.LIST, Mode.EXACT, 10, 3, listed(10, one(10, "1")));
        list(4, listed(15, other(14, "4")));

        assertThat(broken()).isEmpty();
    }

    @Test
    void list_with_a_change_that_is_newer_than_its_revision_is_illegal() {
        list(1, listed(11, one(12, "3"), other(11, "2")));

        assertThat(broken()).containsExactly("states");
    }

    @Test
    void list_with_an_object_before_an_update_of_dropped_fields_is_illegal() {
        history.stored(TYPE, other(15, "4"));
        list(1, listed(15, other(15, "4")));
        assertThat(broken()).isEmpty();

        list(2, listed(15, other(14, "4")));
        assertThat(broken()).containsExactly("states");
    }

    @Test
    void watch_without_an_update_of_dropped_fields_is_illegal() {
        history.stored(TYPE, other(15, "4"));
        watch(
                Mode.RESUME,
                13,
                Selected.ALL,
                frame("MODIFIED", other(14, "4")),
                frame("MODIFIED", other(15, "4")),
                bookmark(15, false));
        assertThat(broken()).isEmpty();

        watch(
                Mode.RESUME,
                13,
                Selected.ALL,
                frame("MODIFIED", other(14, "4")),
                bookmark(15, false));
        assertThat(broken()).isNotEmpty();
    }

    @Test
    void list_without_an_object_is_illegal() {
        list(1, listed(12, one(12, "3")));

        assertThat(broken()).containsExactly("states");
    }

    @Test
    void list_with_a_deleted_object_is_illegal() {
        list(1, listed(13, one(12, "3"), other(11, "2")));

        assertThat(broken()).containsExactly("states");
    }

    @Test
    void list_in_another_order_is_illegal() {
        list(1, listed(12, other(11, "2"), one(12, "3")));

        assertThat(broken()).containsExactly("order");
    }

    @Test
    void value_that_nobody_wrote_is_illegal() {
        list(1, listed(11, one(10, "9"), other(11, "2")));

        assertThat(broken()).containsExactly("states");
    }

    @Test
    void exact_list_of_another_revision_is_illegal() {
        add(Act.LIST, Mode.EXACT, 11, 1, listed(10, one(10, "1")));

        assertThat(broken()).containsExactly("exact");
    }

    @Test
    void older_state_after_a_newer_one_is_illegal_at_one_replica_only() {
        list(1, listed(14, other(14, "4")));
        add("r1", Selected.ALL, Act.LIST, Mode.RECENT, 0, 2, listed(10, one(10, "1")));
        assertThat(broken()).isEmpty();

        list(3, listed(10, one(10, "1")));
        assertThat(broken()).containsExactly("never back");
    }

    @Test
    void older_object_after_a_newer_state_is_illegal() {
        list(1, listed(12, one(12, "3"), other(11, "2")));
        Selected selected = new Selected("h-a", "one", "", -1);
        add(
                "r0",
                selected,
                Act.GET,
                Mode.RECENT,
                0,
                2,
                new Answer(
                        new Head(0, 200, "synced", 0, 11, ""),
                        10,
                        -1,
                        List.of(one(10, "1")),
                        List.of(),
                        false));

        assertThat(broken()).containsExactly("never back");
    }

    @Test
    void missing_object_that_exists_is_illegal_after_it_was_seen() {
        list(1, listed(11, one(10, "1"), other(11, "2")));
        Selected selected = new Selected("h-a", "two", "", -1);
        add(
                "r0",
                selected,
                Act.GET,
                Mode.RECENT,
                0,
                2,
                new Answer(
                        new Head(0, 404, "synced", 0, -1, ""),
                        -1,
                        -1,
                        List.of(),
                        List.of(),
                        false));

        assertThat(broken()).containsExactly("never back");
    }

    @Test
    void state_before_an_own_write_is_illegal_at_this_replica_only() {
        write(1, one(12, "3"));
        add(
                "r1",
                Selected.ALL,
                Act.LIST,
                Mode.RECENT,
                0,
                2,
                listed(11, one(10, "1"), other(11, "2")));
        add("r0", new Selected("h-b", "", "", -1), Act.LIST, Mode.RECENT, 0, 2, listed(11));
        assertThat(broken()).isEmpty();

        add(Act.LIST, Mode.ANY, 0, 3, listed(11, one(10, "1"), other(11, "2")));
        assertThat(broken()).containsExactly("own writes");
    }

    @Test
    void write_that_was_not_stored_is_illegal() {
        write(1, one(12, "7"));

        assertThat(broken()).containsExactly("writes");
    }

    @Test
    void answer_of_the_api_server_is_linearizable() {
        add("r1", Selected.ALL, Act.LIST, Mode.RECENT, 0, 1, listed(14, other(14, "4")));
        list(2, listed("proxied", -1, 12, one(12, "3"), other(11, "2")));

        assertThat(broken()).containsExactly("linearizable");
    }

    @Test
    void state_older_than_asked_for_is_illegal() {
        add(Act.LIST, Mode.NOT_OLDER, 12, 1, listed(11, one(10, "1"), other(11, "2")));

        assertThat(broken()).containsExactly("minimum");
    }

    @Test
    void synced_mirror_without_a_connection_is_illegal() {
        history.add(new Fault(Fault.Kind.PARTITION, "r0", 0, 20 * SECOND, true));
        list(10, listed("stale", 10, 14, other(14, "4")));
        assertThat(broken()).isEmpty();

        list(11, listed("synced", 11, 14, other(14, "4")));
        assertThat(broken()).containsExactly("state");
    }

    @Test
    void age_that_does_not_grow_without_a_connection_is_illegal() {
        history.add(new Fault(Fault.Kind.PARTITION, "r0", 0, 20 * SECOND, true));
        list(10, listed("stale", 1, 14, other(14, "4")));

        assertThat(broken()).containsExactly("age");
    }

    @Test
    void age_from_before_a_change_that_is_shown_is_illegal() {
        write(1, other(14, "4"));
        list(2, listed(14, other(14, "4")));
        list(3, listed("synced", 30, 14, other(14, "4")));

        assertThat(broken()).containsExactly("age");
    }

    @Test
    void watch_with_all_events_of_its_selection_is_legal() {
        resumed(
                frame("ADDED", other(11, "2")),
                frame("MODIFIED", one(12, "3")),
                bookmark(12, false),
                frame("DELETED", one(12, "3").endedAt(13)));
        watch(
                Mode.RESUME,
                10,
                new Selected("", "", "v", -1),
                frame("ADDED", other(11, "2")),
                frame("MODIFIED", one(12, "3")),
                frame("DELETED", one(12, "3").endedAt(13)),
                frame("DELETED", other(11, "2").endedAt(14)));

        assertThat(broken()).isEmpty();
    }

    /** A watch of which nothing comes after 14 until the run ends. */
    private void starved(double begun, double stored) {
        long at = (long) (stored * SECOND);
        history.stored(TYPE, new Version(at, "h-a/two", "u2", 15, "5", "w", false));
        Head head = new Head((long) (begun * SECOND), 200, "synced", 0, -1, "");
        history.add(
                new Operation(
                        history.nextId(),
                        client,
                        "r0",
                        1,
                        TYPE,
                        Selected.ALL,
                        Act.WATCH,
                        Mode.RESUME,
                        14,
                        0,
                        "GET",
                        0,
                        10 * SECOND,
                        new Answer(head, -1, -1, List.of(), List.of(), true)));
    }

    @Test
    void event_that_has_not_come_until_the_end_is_illegal() {
        starved(1, 4);

        assertThat(broken()).containsExactly("reliable");
    }

    @ParameterizedTest
    @CsvSource({"1, 9", "9, 1"})
    void event_of_a_change_or_watch_shortly_before_the_end_need_not_have_come(
            double begun, double stored) {
        starved(begun, stored);

        assertThat(broken()).isEmpty();
    }

    @Test
    void watch_that_misses_an_event_is_illegal() {
        resumed(frame("ADDED", other(11, "2")), frame("DELETED", one(12, "3").endedAt(13)));

        assertThat(broken()).containsExactly("reliable");
    }

    @Test
    void bookmark_that_skips_an_event_is_illegal() {
        resumed(bookmark(11, false));

        assertThat(broken()).contains("reliable");
    }

    @Test
    void event_that_comes_twice_is_illegal() {
        resumed(frame("ADDED", other(11, "2")), frame("ADDED", other(11, "2")));

        assertThat(broken()).containsExactly("ordered");
    }

    @Test
    void event_outside_of_the_selection_is_illegal() {
        watch(Mode.RESUME, 11, new Selected("", "two", "", -1), frame("MODIFIED", one(12, "3")));

        assertThat(broken()).contains("filtered");
    }

    @Test
    void initial_events_of_no_state_are_illegal() {
        watch(Mode.ANY, 0, Selected.ALL, frame("ADDED", one(10, "1")), bookmark(11, true));

        assertThat(broken()).containsExactly("atomic");
    }

    @Test
    void change_may_be_missing_where_the_mirror_listed_again() {
        listedAgain();
        resumed(
                frame("DELETED", one(11, "1")),
                frame("ADDED", other(14, "4")),
                bookmark(14, false));

        assertThat(broken()).isEmpty();
    }

    @Test
    void state_that_the_mirror_missed_is_illegal() {
        listedAgain();
        add(Act.LIST, Mode.EXACT, 12, 3, listed(12, one(10, "1")));

        assertThat(broken()).containsExactly("states");
    }

    /** The client has come from another replica, which has shown the object. */
    @Test
    void deletion_that_the_mirror_missed_is_not_lost_for_a_client_that_resumes() {
        listedAgain();
        watch(
                Mode.RESUME,
                12,
                Selected.ALL,
                frame("MODIFIED", other(14, "4")),
                bookmark(14, false));

        assertThat(broken()).containsExactly("bookmarkable");
    }

    @Test
    void object_that_stays_after_the_mirror_listed_again_is_illegal() {
        listedAgain();
        watch(
                Mode.ANY,
                0,
                Selected.ALL,
                frame("ADDED", one(12, "3")),
                frame("ADDED", other(11, "2")),
                bookmark(12, true),
                frame("MODIFIED", other(14, "4")),
                bookmark(14, false));

        assertThat(broken()).containsExactly("bookmarkable");
    }

    @Test
    void list_without_a_fault_that_explains_it_is_illegal() {
        history.add(new Sample(0, 1, "r0", 1, TYPE, 0));
        history.add(new Sample(2, 3, "r0", 1, TYPE, 1));

        assertThat(broken()).containsExactly("bridges");
    }

    @ParameterizedTest
    @CsvSource({"2, false", "8, true"})
    void mirror_may_list_again_after_a_partition_in_which_it_failed_often(
            int seconds, boolean may) {
        fault(Fault.Kind.PARTITION, 0, seconds);
        history.add(new Sample(0, 1, "r0", 1, TYPE, 0));
        history.add(new Sample(10 * SECOND, 11 * SECOND, "r0", 1, TYPE, 1));

        assertThat(broken().contains("bridges")).isEqualTo(!may);
    }

    @Test
    void error_without_a_cause_is_illegal() {
        error(Act.LIST, Mode.RECENT, 0, 1, -1, "reset");
        error(Act.LIST, Mode.RECENT, 0, 2, 503, "unavailable");
        error(Act.LIST, Mode.ANY, 0, 3, 404, "no such resource");
        error(Act.LIST, Mode.ANY, 0, 4, 500, "bug");
        error(Act.COUNT, Mode.ANY, 0, 5, 400, "not supported");
        error(Act.DELETE, Mode.ANY, 0, 6, 502, "bad gateway");

        assertThat(broken()).hasSize(6).containsOnly("errors");
    }

    @Test
    void error_that_a_fault_explains_is_legal() {
        fault(Fault.Kind.CUT_CLIENTS, 1.1, 1.2);
        error(Act.LIST, Mode.RECENT, 0, 1, -1, "reset");
        fault(Fault.Kind.PARTITION, 2, 3);
        error(Act.LIST, Mode.RECENT, 0, 2, 503, "unavailable");
        error(Act.DELETE, Mode.ANY, 0, 3, 502, "bad gateway");

        assertThat(broken()).isEmpty();
    }

    @Test
    void error_after_the_fault_has_long_been_over_is_illegal() {
        fault(Fault.Kind.PARTITION, 2, 3);
        error(Act.LIST, Mode.RECENT, 0, 10, 503, "unavailable");

        assertThat(broken()).containsExactly("errors");
    }

    @Test
    void revision_that_is_forgotten_too_early_is_illegal() {
        list(1, listed(10, one(10, "1")));
        list(2, listed(14, other(14, "4")));
        error(Act.LIST, Mode.EXACT, 9, 3, 410, "expired");
        assertThat(broken()).isEmpty();

        error(Act.LIST, Mode.EXACT, 12, 3, 410, "expired");
        assertThat(broken()).containsExactly("errors");
    }

    @Test
    void revision_that_was_shown_and_is_refused_is_illegal() {
        list(1, listed(14, other(14, "4")));
        error(Act.LIST, Mode.NOT_OLDER, 1_000, 2, 504, "too large");
        assertThat(broken()).isEmpty();

        fault(Fault.Kind.PARTITION, 2, 3);
        error(Act.LIST, Mode.NOT_OLDER, 13, 2, 504, "too large");
        assertThat(broken()).containsExactly("errors");
    }

    @Test
    void read_after_a_write_may_wait_longer_than_for_the_revision_that_it_asks_for() {
        list(1, listed(11, one(10, "1"), other(11, "2")));
        write(2, one(12, "3"));
        fault(Fault.Kind.LAG, 2, 4);
        error(Act.LIST, Mode.NOT_OLDER, 11, 3, 504, "timeout");

        assertThat(broken()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"504, timeout", "429, clients have already seen revision 15"})
    void read_may_wait_in_vain_while_its_mirror_ends_and_not_otherwise(int code, String message) {
        list(1, listed(14, other(14, "4")));
        fault(Fault.Kind.KILL, 2, 4);
        error(Act.COUNT, Mode.RECENT, 0, 3, code, message);
        assertThat(broken()).isEmpty();

        error(Act.COUNT, Mode.RECENT, 0, 30, code, message);
        assertThat(broken()).containsExactly("errors");
    }

    @Test
    void refusal_because_of_an_age_that_is_allowed_is_illegal() {
        error(Act.LIST, Mode.ANY, 0, 1, 429, "the mirror last had contact 1s ago");

        assertThat(broken()).containsExactly("errors");
    }

    /** The object ends at 13, so whoever misses it has seen that. */
    @Test
    void state_before_that_of_a_missing_object_is_illegal() {
        list(1, listed(12, one(12, "3"), other(11, "2")));
        Answer missing =
                new Answer(
                        new Head(0, 404, "synced", 0, -1, ""), -1, -1, List.of(), List.of(), false);
        add("r0", new Selected("h-a", "one", "", -1), Act.GET, Mode.RECENT, 0, 2, missing);
        assertThat(broken()).isEmpty();

        list(3, listed(12, one(12, "3"), other(11, "2")));
        assertThat(broken()).containsExactly("never back");
    }

    @Test
    void answer_that_was_passed_on_is_linearizable() {
        list(1, listed(14, other(14, "4")));
        list(2, listed("passed", -1, 12, one(12, "3"), other(11, "2")));

        assertThat(broken()).containsExactly("linearizable");
    }

    @Test
    void state_without_a_change_that_was_passed_on_is_illegal() {
        list(2, listed("passed", -1, 12, one(12, "3")));

        assertThat(broken()).containsExactly("states");
    }

    @Test
    void watch_whose_header_goes_back_is_illegal() {
        list(0.1, listed(14, other(14, "4")));
        watch("synced", 12);

        assertThat(broken()).containsExactly("headers");
    }

    @Test
    void watch_that_resumes_tells_of_its_mirror_and_not_of_the_api_server() {
        list(0.1, listed("proxied", -1, 14, other(14, "4")));
        watch("synced", 12);

        assertThat(broken()).isEmpty();
    }

    @Test
    void watch_that_fails_tells_of_its_mirror_and_one_that_shows_a_state_of_that() {
        list(0.1, listed("proxied", -1, 14, other(14, "4")));
        watch(Mode.NOT_OLDER, "synced", 12, new Frame(SECOND, "ERROR", Version.NONE, 504, false));
        assertThat(broken()).doesNotContain("headers");

        watch(Mode.NOT_OLDER, "synced", 12, bookmark(14, true));
        assertThat(broken()).contains("headers");
    }

    @Test
    void type_that_is_said_not_to_exist_is_illegal() {
        error(Act.GET, Mode.ANY, 0, 1, 404, "the server could not find the requested resource: x");

        assertThat(broken()).containsExactly("errors");
    }

    @Test
    void watch_that_says_it_is_not_synchronized_without_a_fault_is_illegal() {
        watch("stale", 14);

        assertThat(broken()).containsExactly("state");
    }

    /** A watch that resumes at 14, with what its headers say. */
    private void watch(String state, int revision) {
        watch(Mode.RESUME, state, revision);
    }

    private void watch(Mode mode, String state, int revision, Frame... frames) {
        Head head = new Head(SECOND, 200, state, 0, revision, "");
        add(Act.WATCH, mode, 14, 1, new Answer(head, -1, -1, List.of(), List.of(frames), false));
    }

    @Test
    void answer_to_a_client_that_may_not_know_is_illegal() {
        client = Identity.PART.prefix() + "c";
        Selected permitted = new Selected("h-a", "", "", -1);
        Answer all = listed(11, one(10, "1"), other(11, "2"));
        add("r0", permitted, Act.LIST, Mode.RECENT, 0, 1, all);
        error(Act.LIST, Mode.RECENT, 0, 2, 403, "forbidden");
        assertThat(broken()).isEmpty();

        add(Act.LIST, Mode.RECENT, 0, 3, all);
        assertThat(broken()).containsExactly("access");
    }

    @Test
    void client_that_is_not_permitted_what_it_may_is_illegal() {
        error(Act.LIST, Mode.RECENT, 0, 1, 403, "forbidden");

        assertThat(broken()).containsExactly("errors");
    }

    /** A list of a client that may read a part. */
    private void listPart(double called) {
        client = Identity.PART.prefix() + "c";
        Selected permitted = new Selected("h-a", "", "", -1);
        Answer answer = listed(11, one(10, "1"), other(11, "2"));
        add("r0", permitted, Act.LIST, Mode.ANY, 0, called, answer);
    }

    @Test
    void answer_after_a_permission_was_revoked_is_illegal_once_what_was_cached_has_expired() {
        fault(Fault.Kind.REVOKE, 10, 30);
        listPart(12);
        listPart(29.8);
        assertThat(broken()).isEmpty();

        listPart(14);
        assertThat(broken()).containsExactly("access");
    }

    @Test
    void refusal_is_legal_until_a_permission_that_was_revoked_is_known_again() {
        fault(Fault.Kind.REVOKE, 10, 30);
        client = Identity.PART.prefix() + "c";
        Head refused = new Head(0, 403, "synced", 0, -1, "forbidden");
        Answer answer = new Answer(refused, -1, -1, List.of(), List.of(), false);
        Selected permitted = new Selected("h-a", "", "", -1);
        add("r0", permitted, Act.LIST, Mode.ANY, 0, 20, answer);
        add("r0", permitted, Act.LIST, Mode.ANY, 0, 34, answer);
        assertThat(broken()).isEmpty();

        add("r0", permitted, Act.LIST, Mode.ANY, 0, 36, answer);
        assertThat(broken()).containsExactly("errors");
    }
}
