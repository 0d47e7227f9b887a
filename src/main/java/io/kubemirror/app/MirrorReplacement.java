package io.kubemirror.app;

import io.kubemirror.app.MirrorFactory.Single;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.Revision;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The mirrors that take the place of others with other content, or join a union. They have content
 * before readers see them, so no request finds a mirror that is initializing.
 *
 * @param mirrors the mirrors, in the order of the configuration
 */
record MirrorReplacement(List<Single> mirrors) {

    /** Nothing takes the place of anything. */
    static final MirrorReplacement NONE = new MirrorReplacement(List.of());

    private static final Duration LOOK = Duration.ofMillis(100);

    /** For a minute. */
    private static final int LOOKS = 600;

    /**
     * Creates the mirrors, which have not started.
     *
     * @param next all definitions
     * @param present the present mirrors
     */
    static MirrorReplacement of(
            List<MirrorDefinition> next,
            List<Single> present,
            Function<MirrorDefinition, Single> factory) {
        return new MirrorReplacement(
                next.stream()
                        .filter(
                                one ->
                                        present.stream()
                                                .noneMatch(
                                                        old -> MirrorFactory.isContinued(old, one)))
                        .filter(
                                one ->
                                        present.stream()
                                                .map(Single::definition)
                                                .anyMatch(old -> old.isReplacedBy(one)))
                        .map(factory)
                        .toList());
    }

    boolean isEmpty() {
        return mirrors.isEmpty();
    }

    /** Returns the definitions that are in force until the mirrors have content. */
    List<MirrorDefinition> until(List<MirrorDefinition> next, List<MirrorDefinition> present) {
        Stream<MirrorDefinition> others = next.stream().filter(one -> !isDefined(one, mirrors));
        Stream<MirrorDefinition> replaced =
                present.stream()
                        .filter(
                                old ->
                                        mirrors.stream()
                                                .map(Single::definition)
                                                .anyMatch(old::isReplacedBy));
        return Stream.concat(others, replaced).distinct().toList();
    }

    private static boolean isDefined(MirrorDefinition definition, List<Single> by) {
        return by.stream().anyMatch(one -> one.definition().equals(definition));
    }

    /**
     * Starts the mirrors, and waits for a minute at most until each has content or will have none.
     */
    void fill() {
        mirrors.forEach(one -> one.reflector().start());
        await(mirrors.stream().map(Single::mirror).toList());
    }

    /** Waits for a minute at most until each mirror has content or will have none. */
    static void await(List<Mirror> filling) {
        int looks = LOOKS;
        for (Mirror mirror : filling) {
            looks = await(mirror, looks);
        }
    }

    /** Waits until a mirror has content or will have none, and returns how many looks are left. */
    private static int await(Mirror mirror, int looks) {
        int left = looks;
        try {
            while (left > 0 && !isSettled(mirror)) {
                left--;
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        return left;
    }

    private static boolean isSettled(Mirror mirror) throws InterruptedException {
        Phase phase = mirror.upstream().phase();
        return phase == Phase.ABSENT
                || phase == Phase.OVER_BUDGET
                || mirror.await(Revision.ZERO, LOOK);
    }

    /**
     * Ends the mirrors for which there is no memory beside those that they replace, and returns the
     * definitions without them.
     */
    List<MirrorDefinition> fitting(List<MirrorDefinition> next) {
        List<Single> tooLarge = new ArrayList<>();
        for (Single single : mirrors) {
            if (single.mirror().upstream().phase() == Phase.OVER_BUDGET) {
                single.reflector().end();
                tooLarge.add(single);
            }
        }
        return next.stream().filter(one -> !isDefined(one, tooLarge)).toList();
    }

    /** Returns the mirror of a definition, unless it has been ended. */
    Stream<Single> of(MirrorDefinition definition) {
        return mirrors.stream()
                .filter(one -> one.definition().equals(definition) && !one.reflector().isClosed());
    }
}
