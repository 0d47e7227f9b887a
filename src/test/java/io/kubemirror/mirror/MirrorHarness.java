package io.kubemirror.mirror;

import static io.kubemirror.testing.KubeObjects.object;
import static io.kubemirror.testing.KubeObjects.objects;
import static io.kubemirror.testing.KubeObjects.revision;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.Mirror.Reading;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.model.KubeObject;
import io.kubemirror.model.ObjectKey;
import io.kubemirror.model.Revision;
import io.kubemirror.testing.Mirrors;

/** A mirror of pods with at most so many changes, its writer, and what its readers see. */
abstract class MirrorHarness {

    final Mirror mirror;
    final MirrorWriter writer;

    MirrorHarness(int changes) {
        mirror = Mirrors.pods(new Window(4, changes, Duration.ofSeconds(75), 1 << 20));
        writer = Mirrors.writer(mirror, () -> 0);
    }

    Resync.Completion list(long revision, KubeObject... objects) {
        return Mirrors.list(writer, revision, objects);
    }

    Snapshot snapshot() {
        return mirror.snapshot().orElseThrow();
    }

    KubeObject stored(String path) {
        return snapshot().get(new ObjectKey(path)).orElseThrow();
    }

    /** The cursor of a client that has everything. */
    Cursor cursor() {
        return mirror.view().cursor();
    }

    /** The cursor of a client that has everything up to a revision. */
    Cursor cursor(long revision) {
        return ((StartPosition.From) mirror.start(revision(revision))).cursor();
    }

    Reading.Progress read(Cursor cursor) {
        return (Reading.Progress) mirror.read(cursor);
    }

    /** What a client with the cursor gets, such as {@code Deleted a/x at 12}. */
    List<String> seenBy(Cursor cursor) {
        return read(cursor).changes().stream()
                .map(LoggedChange::change)
                .map(
                        change ->
                                "%s %s at %s"
                                        .formatted(
                                                change.getClass().getSimpleName(),
                                                change.key(),
                                                change.revision()))
                .toList();
    }

    /** The cursors of the clients of {@link #run}, by their names. */
    private final Map<String, Cursor> clients = new HashMap<>();

    /**
     * Takes steps, and checks what follows from them.
     *
     * <p>The writer does {@code list}, {@code upsert}, {@code delete}, {@code bookmark}, and {@code
     * forget}; behind an arrow is the result. A client begins {@code at} a revision, and {@code
     * sees} changes, or how its reading ends. {@code start} says whether a watch may start at a
     * revision, and {@code state} what there is at one. An object is {@code path:uid@revision}.
     */
    void run(String steps) {
        for (String step : steps.split("; ", -1)) {
            String[] parts = step.split(" -> ", -1);
            String result = parts.length == 1 ? "" : parts[1];
            assertThat(run(List.of(parts[0].split(" ", -1)), result)).as(step).isEqualTo(result);
        }
    }

    private String run(List<String> words, String expected) {
        String first = words.get(1);
        return switch (words.getFirst()) {
            case "list" -> orNothing(listed(words), expected);
            case "upsert" -> orNothing(writer.upsert(object(first)), expected);
            case "delete" ->
                    orNothing(
                            writer.delete(new ObjectKey(first), new Revision(words.get(2))),
                            expected);
            case "bookmark" -> {
                writer.bookmark(new Revision(first));
                yield "";
            }
            case "forget" -> {
                writer.forget();
                yield "";
            }
            case "at" -> {
                clients.put(words.get(2), cursor(Long.parseLong(first)));
                yield "";
            }
            case "sees" -> seen(Objects.requireNonNull(clients.get(first), first));
            case "start" ->
                    switch (mirror.start(new Revision(first))) {
                        case StartPosition.From _ -> "yes";
                        case StartPosition.TooOld(Revision floor) -> "from " + floor;
                    };
            case "state" ->
                    mirror.snapshot(new Revision(first))
                            .map(state -> paths(state) + " at " + state.revision())
                            .orElse("none");
            case "mirror" ->
                    mirror.floor() + " to " + mirror.revision() + " has " + paths(snapshot());
            default -> throw new IllegalArgumentException(words.toString());
        };
    }

    private static String orNothing(Enum<?> result, String expected) {
        return expected.isEmpty() ? "" : result.name();
    }

    private Resync.Completion listed(List<String> words) {
        return list(Long.parseLong(words.get(1)), objects(words.subList(2, words.size())));
    }

    private String seen(Cursor cursor) {
        return switch (mirror.read(cursor)) {
            case Reading.Progress(var _, var next) ->
                    Stream.concat(seenBy(cursor).stream(), Stream.of("until " + next.revision()))
                            .collect(Collectors.joining(", "));
            case Reading.Expired(Revision floor) -> "expired before " + floor;
            case Reading other -> other.getClass().getSimpleName();
        };
    }

    private static String paths(Snapshot state) {
        return state.objects().stream().map(KubeObject::toString).collect(Collectors.joining(" "));
    }
}
