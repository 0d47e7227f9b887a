package io.kubemirror.history;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.history.Operation.Act;
import io.kubemirror.history.Operation.Answer;
import io.kubemirror.history.Operation.Head;
import io.kubemirror.history.Operation.Mode;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Judges histories that are written by hand. There are two objects: one changes at 10 and 12 and
 * ends at 13, the other one changes at 11 and 14.
 *
 * <p>A step is its kind, its options in brackets, its time in seconds, and an answer. The answer to
 * a read is {@code at revision:} and objects; that of a watch is frames: {@code +} an object that
 * is added, {@code ~} modified, {@code -} deleted, {@code b} and {@code e} with the revision of a
 * bookmark and of the end of the initial events, {@code !} with the code of an error. An object is
 * {@code name@revision=value}, with {@code /revision} if it has ended there. Up to {@code legal},
 * nothing is illegal.
 */
class CheckerTest {

    private static final String TYPE = "configmaps";
    private static final long SECOND = 1_000_000_000L;

    private static final Pattern STEP =
            Pattern.compile("(\\w+)(?:\\[([^]]*)])?(?: ([\\d.]+))?(?: (.*))?");
    private static final Pattern OBJECT = Pattern.compile("(\\w+)@(\\d+)=(\\d*)(?:/(\\d+))?");

    /** The API server has forgotten what the mirror missed. */
    private static final String LISTED_AGAIN =
            "fault[on=api] 0 RESTART_SERVER 0; sample 0 0; sample 2 1; ";

    private final History history = new History();

    CheckerTest() {
        List.of("one@10=1", "two@11=2", "one@12=3")
                .forEach(text -> history.stored(TYPE, object(text)));
        history.stored(TYPE, new Version(0, "h-a/one", "", 13, "", "", true));
        history.stored(TYPE, object("two@14=4"));
    }

    /** What a history is about, its steps, and the promises that it breaks. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    # Lists
                    states follow each other | list 1 at 11: one@10=1 two@11=2; list 2 at 12: one@12=3 two@11=2; list[exact=10] 3 at 10: one@10=1; list 4 at 15: two@14=4; legal | ''
                    a change is newer than the revision | list 1 at 11: one@12=3 two@11=2 | states
                    an update of dropped fields is missing | stored two@15=4; list 1 at 15: two@15=4; legal; list 2 at 15: two@14=4 | states
                    an object is missing | list 1 at 12: one@12=3 | states
                    a deleted object is there | list 1 at 13: one@12=3 two@11=2 | states
                    another order | list 1 at 12: two@11=2 one@12=3 | order
                    a value that nobody wrote | list 1 at 11: one@10=9 two@11=2 | states
                    exact, and another revision | list[exact=11] 1 at 10: one@10=1 | exact
                    older than was asked for | list[not-older=12] 1 at 11: one@10=1 two@11=2 | minimum
                    passed on, without a change | list[state=passed,age=-1] 2 at 12: one@12=3 | states
                    # What was known before
                    older than before, at one replica only | list 1 at 14: two@14=4; list[on=r1] 2 at 10: one@10=1; legal; list 3 at 10: one@10=1 | never back
                    an older object after a newer state | list 1 at 12: one@12=3 two@11=2; get[ns=h-a,name=one,told=11] 2 at 10: one@10=1 | never back
                    an object that was seen is missing | list 1 at 11: one@10=1 two@11=2; missing[ns=h-a,name=two] 2 | never back
                    who misses an object has seen its end | list 1 at 12: one@12=3 two@11=2; missing[ns=h-a,name=one] 2; legal; list 3 at 12: one@12=3 two@11=2 | never back
                    before an own write, at its replica only | write 1 one@12=3; list[on=r1] 2 at 11: one@10=1 two@11=2; list[ns=h-b] 2 at 11:; legal; list[any] 3 at 11: one@10=1 two@11=2 | own writes
                    a write that was not stored | write 1 one@12=7 | writes
                    of the API server, and not linearizable | list[on=r1] 1 at 14: two@14=4; list[state=proxied,age=-1] 2 at 12: one@12=3 two@11=2 | linearizable
                    passed on, and not linearizable | list 1 at 14: two@14=4; list[state=passed,age=-1] 2 at 12: one@12=3 two@11=2 | linearizable
                    # What is told of the connection
                    synced without a connection | fault[silent] 0 PARTITION 20; list[state=stale,age=10] 10 at 14: two@14=4; legal; list[age=11] 11 at 14: two@14=4 | state
                    an age that does not grow without a connection | fault[silent] 0 PARTITION 20; list[state=stale,age=1] 10 at 14: two@14=4 | age
                    an age from before a change that is shown | write 1 two@14=4; list 2 at 14: two@14=4; list[age=30] 3 at 14: two@14=4 | age
                    a header of a watch that goes back | list 0.1 at 14: two@14=4; watch[resume=14,told=12] 1 | headers
                    a watch that resumes tells of its mirror | list[state=proxied,age=-1] 0.1 at 14: two@14=4; watch[resume=14,told=12] 1; legal | ''
                    a watch that fails tells of its mirror, not one that shows a state | list[state=proxied,age=-1] 0.1 at 14: two@14=4; watch[not-older=14,told=12] 1 !504; legal; watch[not-older=14,told=12] 1 +two@14=4 e14 | headers headers
                    a watch that is not synchronized without a fault | watch[resume=14,state=stale,told=14] 1 | state
                    # Watches
                    all events of a selection | watch[resume=10] 0.5 +two@11=2 ~one@12=3 b12 -one@12=3/13; watch[resume=10,label=v] 0.5 +two@11=2 ~one@12=3 -one@12=3/13 -two@11=2/14; legal | ''
                    an event is missing | watch[resume=10] 0.5 +two@11=2 -one@12=3/13 | reliable
                    an update of dropped fields is no event | stored two@15=4; watch[resume=13] 0.5 ~two@14=4 ~two@15=4 b15; legal; watch[resume=13] 0.5 ~two@14=4 b15 | reliable bookmarkable
                    an event is before a bookmark | watch[resume=10] 0.5 b11 | reliable bookmarkable
                    an event comes twice | watch[resume=10] 0.5 +two@11=2 +two@11=2 | ordered
                    outside of the selection | watch[resume=11,name=two] 0.5 ~one@12=3 | filtered filtered
                    initial events of no state | watch[any] 0.5 +one@10=1 e11 | atomic
                    an event has not come until the end | stored[at=4] two@15=5; watch[resume=14,starved=1] 0 | reliable
                    an event shortly before the end | stored[at=9] two@15=5; watch[resume=14,starved=1] 0; legal | ''
                    a watch shortly before the end | stored[at=1] two@15=5; watch[resume=14,starved=9] 0; legal | ''
                    # Where the mirror listed again, a change may be missing, and no object
                    a change is missing | AGAIN watch[resume=10] 0.5 -one@11=1 +two@14=4 b14; legal | ''
                    a state that the mirror missed | AGAIN list[exact=12] 3 at 12: one@10=1 | states
                    a deletion, for a client of another replica | AGAIN watch[resume=12] 0.5 ~two@14=4 b14 | bookmarkable
                    an object that stays | AGAIN watch[any] 0.5 +one@12=3 +two@11=2 e12 ~two@14=4 b14 | bookmarkable
                    a change that was seen before a process ended | list 0.1 at 12: one@12=3 two@11=2; sample 1 0; sample 1.6 0; fault 2 KILL 4; sample[life=2] 4 1; watch[resume=10] 6 -one@11=1 +two@14=4 b14 | reliable
                    a change that was seen, and that a torn file does not have | list 0.1 at 12: one@12=3 two@11=2; sample 1 0; sample 2 0; fault 2 TEAR 4; sample[life=2] 4 1; watch[resume=10] 6 -one@11=1 +two@14=4 b14; legal | ''
                    a change that a torn file has, as the next process tells | list 0.1 at 12: one@12=3 two@11=2; sample 1 0; sample 2 0; fault 2 TEAR 4; sample[life=2] 4 1; list[life=2] 4 at 12: one@12=3 two@11=2; watch[resume=10,life=2] 6 -one@11=1 +two@14=4 b14 | reliable never back
                    a change that a torn file does not have, as a first answer tells | list 0.1 at 12: one@12=3 two@11=2; sample 1 0; sample 2 0; fault 2 TEAR 4; list[life=-1] 3.5 at 10: one@10=1; sample[life=2] 4 1; list[life=2] 5 at 14: two@14=4; watch[resume=10,life=2] 6 -one@11=1 +two@14=4 b14; legal | ''
                    a list without a fault | sample 0 0; sample 2 1 | bridges
                    a list after a short partition | fault 0 PARTITION 2; sample 0 0; sample 10 1 | bridges
                    a list after a long partition | fault 0 PARTITION 8; sample 0 0; sample 10 1; legal | ''
                    # Errors
                    without a cause | lost 1; error 2 503 unavailable; error[any] 3 404 no such resource; error[any] 4 500 bug; error[act=COUNT,any] 5 400 not supported; error[act=DELETE,any] 6 502 bad gateway | errors errors errors errors errors errors
                    with a cause | fault 1.1 CUT_CLIENTS 1.2; lost 1; fault 2 PARTITION 3; error 2 503 unavailable; error[act=DELETE,any] 3 502 bad gateway; legal | ''
                    long after their cause | fault 2 PARTITION 3; error 10 503 unavailable | errors
                    a revision is forgotten too early | list 1 at 10: one@10=1; list 2 at 14: two@14=4; error[exact=9] 3 410 expired; legal; error[exact=12] 3 410 expired | errors
                    a revision that was shown is too large | list 1 at 14: two@14=4; error[not-older=1000] 2 504 too large; legal; fault 2 PARTITION 3; error[not-older=13] 2 504 too large | errors
                    a read waits longer after a write | list 1 at 11: one@10=1 two@11=2; write 2 one@12=3; fault 2 LAG 4; error[not-older=11] 3 504 timeout; legal | ''
                    a read waits longer after a refused write | list 1 at 11: one@10=1 two@11=2; error[act=DELETE,ns=h-a,name=one,told=14] 2 404 not found; fault 2 LAG 4; error[not-older=11] 3 504 timeout; legal | ''
                    a read waits in vain while its mirror ends | list 1 at 14: two@14=4; fault 2 KILL 4; error[act=COUNT] 3 504 timeout; legal; error[act=COUNT] 30 504 timeout | errors
                    others know more while its mirror ends | list 1 at 14: two@14=4; fault 2 KILL 4; error[act=COUNT] 3 429 clients have already seen revision 15; legal; error[act=COUNT] 30 429 clients have already seen revision 15 | errors
                    an age that is allowed | error[any] 1 429 the mirror last had contact 1s ago | errors
                    a type that exists | error[act=GET,any] 1 404 the server could not find the requested resource: x | errors
                    # Permissions
                    of a part only | list[part,ns=h-a] 1 at 11: one@10=1 two@11=2; error[part] 2 403 forbidden; legal; list[part] 3 at 11: one@10=1 two@11=2 | access
                    permitted, and refused | error 1 403 forbidden | errors
                    answered after what was cached of a revoked one expired | fault 10 REVOKE 30; list[part,any,ns=h-a] 12 at 11: one@10=1 two@11=2; list[part,any,ns=h-a] 29.8 at 11: one@10=1 two@11=2; legal; list[part,any,ns=h-a] 14 at 11: one@10=1 two@11=2 | access
                    refused until it is known again | fault 10 REVOKE 30; error[part,any,ns=h-a] 20 403 forbidden; error[part,any,ns=h-a] 34 403 forbidden; legal; error[part,any,ns=h-a] 36 403 forbidden | errors
                    """)
    void history_breaks_these_promises_and_no_other(String what, String steps, String broken) {
        String all = steps.replace("AGAIN ", LISTED_AGAIN);
        for (String step : all.split("; ", -1)) {
            Matcher parts = STEP.matcher(step);
            assertThat(parts.matches()).as(step).isTrue();
            double time = parts.group(3) == null ? 0 : Double.parseDouble(parts.group(3));
            String rest = Objects.requireNonNullElse(parts.group(4), "");
            add(new Step(parts.group(1), options(parts.group(2)), time, rest));
        }

        assertThat(String.join(" ", broken())).isEqualTo(broken);
    }

    private record Step(String kind, Map<String, String> options, double time, String rest) {

        long at() {
            return nanos(time);
        }

        String option(String name, String otherwise) {
            return options.getOrDefault(name, otherwise);
        }

        long number(String name, long otherwise) {
            return options.containsKey(name) ? Long.parseLong(options.get(name)) : otherwise;
        }
    }

    private static long nanos(double seconds) {
        return (long) (seconds * SECOND);
    }

    private static Map<String, String> options(String text) {
        Map<String, String> options = new HashMap<>();
        for (String option : text == null ? new String[0] : text.split(",")) {
            String[] pair = option.split("=", 2);
            options.put(pair[0], pair.length == 1 ? "" : pair[1]);
        }
        return options;
    }

    private List<String> broken() {
        return new Checker(history, Set.of("verified"))
                .check().stream().map(Violation::promise).toList();
    }

    private void add(Step step) {
        String[] words = step.rest.split(" ", 2);
        switch (step.kind) {
            case "legal" -> assertThat(broken()).isEmpty();
            case "stored" -> history.stored(TYPE, stored(step));
            case "fault" ->
                    history.add(
                            new Fault(
                                    Fault.Kind.valueOf(words[0]),
                                    step.option("on", "r0"),
                                    step.at(),
                                    nanos(Double.parseDouble(words[1])),
                                    step.options.containsKey("silent")));
            case "sample" ->
                    history.add(
                            new Sample(
                                    step.at(),
                                    step.at() + SECOND,
                                    "r0",
                                    (int) step.number("life", 1),
                                    TYPE,
                                    Long.parseLong(step.rest)));
            default -> history.add(operation(step));
        }
    }

    private static Version stored(Step step) {
        Version object = object(step.rest);
        return new Version(
                step.number("at", 0) * SECOND,
                object.key(),
                object.uid(),
                object.revision(),
                object.value(),
                object.label(),
                false);
    }

    private Operation operation(Step step) {
        boolean starved = step.options.containsKey("starved");
        Act act =
                switch (step.kind) {
                    case "missing" -> Act.GET;
                    case "error", "lost" -> Act.valueOf(step.option("act", "LIST"));
                    default -> Act.valueOf(step.kind.toUpperCase(Locale.ROOT));
                };
        Mode mode =
                Stream.of(Mode.values())
                        .filter(one -> step.options.containsKey(name(one)))
                        .findFirst()
                        .orElse(Mode.RECENT);
        return new Operation(
                history.nextId(),
                step.options.containsKey("part") ? Identity.PART.prefix() + "c" : "c",
                step.option("on", "r0"),
                (int) step.number("life", 1),
                TYPE,
                new Selected(
                        step.option("ns", ""),
                        step.option("name", ""),
                        step.option("label", ""),
                        -1),
                act,
                mode,
                mode == Mode.ANY ? 0 : step.number(name(mode), 0),
                0,
                "GET",
                step.at(),
                starved ? 10 * SECOND : step.at() + SECOND / 2,
                answer(step));
    }

    private static String name(Mode mode) {
        return mode.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static Answer answer(Step step) {
        return switch (step.kind) {
            case "write" -> {
                Version written = object(step.rest);
                yield objects(step, 200, written.revision(), written.revision(), List.of(written));
            }
            case "missing" -> objects(step, 404, -1, -1, List.of());
            case "lost" -> Answer.lost("reset");
            case "error" -> {
                String[] words = step.rest.split(" ", 2);
                int code = Integer.parseInt(words[0]);
                Head head = new Head(0, code, "synced", 0, step.number("told", -1), words[1]);
                yield new Answer(head, -1, -1, List.of(), List.of(), false);
            }
            case "watch" -> watched(step);
            default -> {
                String[] parts = step.rest.substring("at ".length()).split(": ?", 2);
                long revision = Long.parseLong(parts[0]);
                List<Version> objects = words(parts[1]).map(CheckerTest::object).toList();
                yield objects(step, 200, revision, step.number("told", revision), objects);
            }
        };
    }

    private static Answer objects(
            Step step, int code, long revision, long told, List<Version> objects) {
        boolean write = step.kind.equals("write");
        Head head =
                new Head(
                        0,
                        code,
                        write ? "" : step.option("state", "synced"),
                        step.number("age", write ? -1 : 0),
                        told,
                        "");
        return new Answer(head, revision, -1, objects, List.of(), false);
    }

    private static Answer watched(Step step) {
        long told = step.number("told", -1);
        long begun = step.number("starved", told < 0 ? 0 : 1) * SECOND;
        Head head = new Head(begun, 200, step.option("state", "synced"), 0, told, "");
        List<Frame> frames = words(step.rest).map(CheckerTest::frame).toList();
        return new Answer(head, -1, -1, List.of(), frames, step.options.containsKey("starved"));
    }

    private static Stream<String> words(String text) {
        return Stream.of(text.split(" ")).filter(word -> !word.isEmpty());
    }

    private static Frame frame(String text) {
        String rest = text.substring(1);
        return switch (text.charAt(0)) {
            case '+' -> event("ADDED", object(rest));
            case '~' -> event("MODIFIED", object(rest));
            case '-' -> event("DELETED", object(rest));
            case '!' -> new Frame(SECOND, "ERROR", Version.NONE, Long.parseLong(rest), false);
            default -> {
                boolean end = text.startsWith("e");
                yield new Frame(SECOND, "BOOKMARK", Version.NONE, Long.parseLong(rest), end);
            }
        };
    }

    private static Frame event(String type, Version object) {
        return new Frame(SECOND, type, object, object.revision(), false);
    }

    private static Version object(String text) {
        Matcher parts = OBJECT.matcher(text);
        assertThat(parts.matches()).as(text).isTrue();
        String uid = parts.group(1).equals("one") ? "u1" : "u2";
        String value = parts.group(3);
        String label = uid.equals("u1") || value.equals("2") ? "v" : "w";
        long revision = Long.parseLong(parts.group(2));
        Version object =
                new Version(0, "h-a/" + parts.group(1), uid, revision, value, label, false);
        return parts.group(4) == null ? object : object.endedAt(Long.parseLong(parts.group(4)));
    }
}
