package io.kubemirror.reflector;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.objects;
import static io.kubemirror.testing.KubeObjects.revision;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Restoration;
import io.kubemirror.mirror.Snapshot;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Scope.Extent;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.model.Selection;
import io.kubemirror.model.Status;
import io.kubemirror.reflector.FakeSource.FakeStream;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorSettings.ReflectorTimeouts;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.reflector.ReflectorState.BackingOff;
import io.kubemirror.reflector.ReflectorState.FetchMethod;
import io.kubemirror.reflector.ReflectorState.Opening;
import io.kubemirror.reflector.ReflectorState.Resolving;
import io.kubemirror.reflector.ReflectorState.SyncStart;
import io.kubemirror.reflector.ReflectorState.Synchronizing;
import io.kubemirror.reflector.ReflectorState.Watching;
import io.kubemirror.source.Failure;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.Result;
import io.kubemirror.source.Source.TypeLookup;
import io.kubemirror.source.StoredFields;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchFrame.Broken.BrokenKind;
import io.kubemirror.testing.Mirrors;
import io.kubemirror.testing.ReflectorEnvironments;
import io.kubemirror.testing.Unchecked;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.TestInfo;

/** A state machine with a mirror and a scripted server, on a clock that the test moves. */
abstract class StateMachineHarness {

    static final ResourceType PODS = ServedTypes.PODS;

    static final Resolving RESOLVING = new Resolving();
    static final Failure.Unreachable CONNECTION_REFUSED =
            new Failure.Unreachable("connection refused", Failure.Unreachable.Kind.REFUSED);
    static final Failure.Unreachable CONNECTION_RESET =
            new Failure.Unreachable("reset", Failure.Unreachable.Kind.BROKEN);
    static final WatchFrame CUT = new WatchFrame.Broken("cut", BrokenKind.CUT);
    static final WatchFrame ENDED = new WatchFrame.Ended();

    final StateTable table = new StateTable();
    private final List<StateTable.Transition> steps = new ArrayList<>();
    final FakeSource api = new FakeSource();
    final Mirror mirror = Mirrors.pods();
    final MirrorWriter writer = Mirrors.writer(mirror, () -> 0);
    final ReflectorCounts counts = new ReflectorCounts();
    Instant now = Instant.parse("2026-01-01T00:00:00Z");
    Duration slept = Duration.ZERO;
    StateMachine machine = stateMachine(Strategy.LIST_WATCH);
    final ResourceCollection pods =
            new ResourceCollection(
                    PODS,
                    Selection.everything(),
                    settings(Strategy.LIST_WATCH).shape(PODS, DeclaredFields.NONE, Extent.WHOLE));

    /** The collection of the states that a course names. */
    private ResourceCollection collection = pods;

    final Opening opening = new Opening(pods);

    /** The beginning of a synchronization, by whatever method. */
    final Synchronizing synchronizing = new Synchronizing(pods, SyncStart.MOST_RECENT);

    /** The beginning of a list of pages. */
    final Synchronizing listing = new Synchronizing(pods, SyncStart.MOST_RECENT, FetchMethod.PAGES);

    /** The beginning of a synchronization that asks for the revision of the mirror. */
    final Synchronizing resynchronizing = new Synchronizing(pods, SyncStart.CACHED);

    @AfterEach
    void every_named_transition_row_was_exercised(TestInfo test) {
        TransitionRow row = test.getTestMethod().orElseThrow().getAnnotation(TransitionRow.class);
        assertExercised(row == null ? new String[0] : row.value());
    }

    private void assertExercised(String[] rows) {
        for (String named : rows) {
            assertThat(steps)
                    .as("steps as the row says: " + named)
                    .anyMatch(step -> table.says(named, step));
        }
    }

    ReflectorState step(ReflectorState state) {
        return step(machine, state);
    }

    ReflectorState step(StateMachine chosen, ReflectorState state) {
        ReflectorState next = Unchecked.call(() -> chosen.step(state));
        StateTable.Transition transition = new StateTable.Transition(state, next);
        assertThat(table.lists(transition)).as("listed: " + transition).isTrue();
        steps.add(transition);
        return next;
    }

    ReflectorState run(ReflectorState state, int steps) {
        ReflectorState current = state;
        for (int i = 0; i < steps; i++) {
            current = step(current);
        }
        return current;
    }

    static BackingOff resting(ReflectorState state) {
        assertThat(state).isInstanceOf(BackingOff.class);
        return (BackingOff) state;
    }

    static ReflectorState afterBackoff(ReflectorState state) {
        return resting(state).next();
    }

    Snapshot snapshot() {
        return mirror.snapshot().orElseThrow();
    }

    /** Restores the mirror from disk, at revision 120. */
    final void restored(KubeObject... objects) {
        Restoration restoration = writer.restoration();
        List.of(objects).forEach(restoration::add);
        restoration.begin(new Revision("110"));
        restoration.upsert(object("b/y", 115), new Revision("115"), Duration.ofSeconds(3));
        Mirrors.restore(restoration, PODS, 120, now, now.minusSeconds(10));
    }

    Watching watching(WatchFrame... frames) {
        return new Watching(collection, new FakeStream(frames), now, false);
    }

    void synced(long revision, KubeObject... objects) {
        Mirrors.list(writer, revision, objects);
    }

    StateMachine stateMachine(Strategy strategy) {
        return stateMachine(settings(strategy));
    }

    StateMachine stateMachine(ReflectorSettings settings) {
        return new StateMachine(api, writer, settings, reflectorEnvironment(), counts);
    }

    ReflectorEnvironment reflectorEnvironment() {
        return ReflectorEnvironments.alone(() -> now, new Random(42), this::sleep);
    }

    private void sleep(Duration duration) {
        slept = slept.plus(duration);
        now = now.plus(duration);
    }

    static ReflectorSettings settings(Strategy strategy) {
        return settings(strategy, ReflectorEnvironments.timeouts());
    }

    static ReflectorSettings settings(Strategy strategy, ReflectorTimeouts timeouts) {
        return ReflectorEnvironments.settings(strategy, 500, StoredFields.ALL, List.of(), timeouts);
    }

    static WatchFrame added(String path, long revision) {
        return new WatchFrame.Added(object(path, revision), null, null);
    }

    static WatchFrame deleted(String path, long revision) {
        return new WatchFrame.Deleted(object(path, revision));
    }

    static WatchFrame bookmark(long revision) {
        return new WatchFrame.Bookmark(revision(revision), false);
    }

    static WatchFrame initialEventsEnd(long revision) {
        return new WatchFrame.Bookmark(revision(revision), true);
    }

    static WatchFrame failed(int code, String reason) {
        return new WatchFrame.Failed(status(code, reason));
    }

    static Failure.Refused refused(int code, String reason) {
        return new Failure.Refused(status(code, reason));
    }

    static Status status(int code, String reason) {
        return new Status(code, reason, "as scripted", null);
    }

    /** The steps of a list, which {@code FILLED} follows by some time. */
    private static final String RELISTED =
            "pass 10; type pods; list 130 - a/x@7; from resolving; step 4; is opening";

    private ReflectorState at = RESOLVING;

    /**
     * Takes steps from one state to others, and checks that the rows say so.
     *
     * <p>{@code type}, {@code list}, and {@code watch} prepare the answers of the server: a page
     * has a revision, a token or {@code -}, and objects; a watch has frames. {@code fails} is
     * followed by {@link #failure}. {@code synced} fills the mirror, {@code pass} moves the clock,
     * {@code of} names the type of the states, {@code from} begins in a state, {@code step} goes
     * on, and anything else is an expectation.
     *
     * @param rows the rows, with {@code &} between them
     */
    void course(String rows, Strategy strategy, String course) {
        machine = stateMachine(strategy);
        String steps =
                course.replace("FILLED", RELISTED + "; pass 100").replace("RELISTED", RELISTED);
        for (String step : steps.split("; ", -1)) {
            take(step, List.of(step.split(" ", -1)));
        }
        assertExercised(rows.isEmpty() ? new String[0] : rows.split(" & ", -1));
    }

    private void take(String step, List<String> words) {
        String first = words.size() > 1 ? words.get(1) : "";
        List<String> rest = words.subList(Math.min(2, words.size()), words.size());
        boolean fails = first.equals("fails");
        switch (words.getFirst()) {
            case "type" -> api.discovers(lookup(first, rest));
            case "list" -> {
                if (fails) {
                    api.lists(failure(rest.getFirst()));
                } else {
                    String token = rest.getFirst().equals("-") ? null : rest.getFirst();
                    api.listsPage(
                            Long.parseLong(first), token, objects(rest.subList(1, rest.size())));
                }
            }
            case "watch" -> {
                if (fails) {
                    api.answersWatch(failure(rest.getFirst()));
                } else {
                    api.streams(frames(words.subList(1, words.size())));
                }
            }
            case "synced" -> synced(Long.parseLong(first), objects(rest));
            case "shows" ->
                    api.shows(fails ? Result.failed(failure(rest.getFirst())) : Result.of(first));
            case "of" -> {
                ResourceType type = first.equals("widgets") ? ServedTypes.WIDGETS : PODS;
                collection = new ResourceCollection(type, pods.selection(), pods.shape());
            }
            case "restored" -> restored(objects(words.subList(1, words.size())));
            case "close" -> at.close();
            case "identify" -> writer.identify(PODS, DeclaredFields.NONE);
            case "pass" -> now = now.plusSeconds(Long.parseLong(first));
            case "from" -> at = first.equals("watching") ? watching(frames(rest)) : named(first);
            case "step" -> at = run(at, Integer.parseInt(first));
            case "counted" -> assertThat(counts.get(Counter.valueOf(first))).as(step).isOne();
            case "problem" -> assertThat(mirror.upstream().problem()).contains(expected(words));
            default ->
                    assertThat(found(words.getFirst(), rest)).as(step).isEqualTo(expected(words));
        }
    }

    private static String expected(List<String> words) {
        return String.join(" ", words.subList(1, words.size()));
    }

    /** What there is, in the words of an expectation. */
    private String found(String what, List<String> rest) {
        return switch (what) {
            case "is" -> name(at);
            case "waits" ->
                    name(afterBackoff(at)) + (rest.isEmpty() ? "" : " " + resting(at).delay());
            case "mirror" ->
                    mirror.snapshot()
                            .map(state -> state.revision() + texts(state.objects()))
                            .orElse("empty");
            case "phase" -> mirror.upstream().phase().name();
            case "state" -> mirror.upstream().state().name();
            case "audit" -> new Auditor(machine).check().toString();
            case "beside" -> Boolean.toString(at.stream() != null);
            case "slept" -> slept.toString();
            case "checked" -> Boolean.toString(!writer.isRestored());
            case "kind" -> mirror.type().map(ResourceType::kind).orElse("none");
            case "closed" -> Boolean.toString(api.lastStream().closed);
            case "lists" ->
                    api.lists.stream()
                            .map(
                                    list ->
                                            "%s/%d/%s"
                                                    .formatted(
                                                            list.revision(),
                                                            list.limit(),
                                                            list.continueToken()))
                            .collect(Collectors.joining(" "));
            case "watches" ->
                    api.watches.stream()
                            .map(watch -> String.valueOf(watch.revision()))
                            .collect(Collectors.joining(" "));
            default -> throw new IllegalArgumentException(what);
        };
    }

    private static String texts(Collection<KubeObject> objects) {
        return objects.stream().map(object -> " " + object).collect(Collectors.joining());
    }

    private ReflectorState named(String name) {
        return switch (name) {
            case "resolving" -> RESOLVING;
            case "synchronizing" -> new Synchronizing(collection, SyncStart.MOST_RECENT);
            case "resynchronizing" -> new Synchronizing(collection, SyncStart.CACHED);
            case "confirming" -> new Synchronizing(collection, SyncStart.CONFIRMING);
            case "confirming-pages" ->
                    new Synchronizing(collection, SyncStart.CONFIRMING, FetchMethod.PAGES);
            case "listing" ->
                    new Synchronizing(collection, SyncStart.MOST_RECENT, FetchMethod.PAGES);
            case "whole" -> new Synchronizing(collection, SyncStart.MOST_RECENT, FetchMethod.WHOLE);
            case "opening" -> new Opening(collection);
            default -> throw new IllegalArgumentException(name);
        };
    }

    private String name(ReflectorState state) {
        return Stream.of(
                        "resolving",
                        "synchronizing",
                        "resynchronizing",
                        "confirming",
                        "confirming-pages",
                        "listing",
                        "whole",
                        "opening")
                .filter(name -> named(name).equals(state))
                .findFirst()
                .orElseGet(() -> state.getClass().getSimpleName().toLowerCase(Locale.ROOT));
    }

    private static Result<TypeLookup> lookup(String name, List<String> rest) {
        return switch (name) {
            case "fails" -> Result.failed(failure(rest.getFirst()));
            case "unknown" -> Result.of(new TypeLookup.Unknown(rest));
            default -> Result.of(new TypeLookup.Found(PODS, name.equals("pods")));
        };
    }

    private static WatchFrame[] frames(List<String> texts) {
        return texts.stream().map(StateMachineHarness::frame).toArray(WatchFrame[]::new);
    }

    /**
     * A frame: {@code +}, {@code ~}, and {@code -} with an object that is added, modified, and
     * deleted, {@code b} and {@code e} with the revision of a bookmark and of the end of the
     * initial events, an end, or the code of an ERROR.
     */
    static WatchFrame frame(String text) {
        String rest = text.substring(1);
        return switch (text) {
            case "ended" -> ENDED;
            case "cut" -> CUT;
            case "silent" -> new WatchFrame.Broken("silent", BrokenKind.SILENT);
            case "nonsense" -> new WatchFrame.Untrackable("no JSON");
            case "foreign" -> new WatchFrame.Foreign("a Table");
            default ->
                    switch (text.charAt(0)) {
                        case '+' -> new WatchFrame.Added(object(rest), null, null);
                        case '~' -> new WatchFrame.Modified(object(rest), null);
                        case '-' -> new WatchFrame.Deleted(object(rest));
                        case 'b' -> bookmark(Long.parseLong(rest));
                        case 'e' -> initialEventsEnd(Long.parseLong(rest));
                        default -> failed(Integer.parseInt(text), "No");
                    };
        };
    }

    /** A failure: one of a connection, of a revision, of a server in distress, or a code. */
    static Failure failure(String text) {
        return switch (text) {
            case "refused" -> CONNECTION_REFUSED;
            case "reset" -> CONNECTION_RESET;
            case "malformed" -> new Failure.Malformed("no JSON");
            case "too-large" -> tooLarge();
            case "throttled" -> throttled(1);
            default -> refused(Integer.parseInt(text), "No");
        };
    }

    static Failure.Refused tooLarge() {
        return new Failure.Refused(
                new Status(504, "Timeout", "Too large resource version: 120, current: 118", null));
    }

    static Failure.Refused throttled(int retryAfter) {
        return new Failure.Refused(
                new Status(429, "TooManyRequests", "later", Status.Details.retryAfter(retryAfter)));
    }
}
