package io.kubemirror.parity;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The two responses to a case.
 *
 * @param asked the case
 * @param equal whether both answers are the same
 * @param expected what kubemirror should answer
 * @param actual what it does answer
 */
record Comparison(ParityCase asked, boolean equal, String expected, String actual) {

    /**
     * Compares the responses of both servers.
     *
     * @param server answers what is asked for comparison only
     */
    static Comparison of(
            ParityCase asked,
            List<ObservedResponse> genuine,
            List<ObservedResponse> mirrored,
            Function<RawRequest, ObservedResponse> server) {
        ObservedResponse meant =
                asked.difference()
                        .map(difference -> meant(difference, genuine.getLast(), server))
                        .orElse(genuine.getLast());
        ObservedResponse actual =
                asked.difference()
                        .map(difference -> compared(difference, mirrored.getLast()))
                        .orElse(mirrored.getLast());
        return new Comparison(
                asked,
                texts(genuine).equals(texts(mirrored)),
                texts(withLast(genuine, meant)),
                texts(withLast(mirrored, actual)));
    }

    private static ObservedResponse meant(
            Difference difference,
            ObservedResponse genuine,
            Function<RawRequest, ObservedResponse> server) {
        return switch (difference) {
            case Difference.Rewritten rewritten -> rewritten.change().apply(genuine);
            case Difference.AsTo as -> server.apply(as.other());
            case Difference.Besides besides -> genuine.withBody(besides.essence());
            case Difference.Steady steady -> steady.answer();
        };
    }

    private static ObservedResponse compared(Difference difference, ObservedResponse mirrored) {
        return difference instanceof Difference.Besides besides
                ? mirrored.withBody(besides.essence())
                : mirrored;
    }

    private static List<ObservedResponse> withLast(
            List<ObservedResponse> answers, ObservedResponse last) {
        List<ObservedResponse> changed = new ArrayList<>(answers);
        changed.set(changed.size() - 1, last);
        return changed;
    }

    private static String texts(List<ObservedResponse> answers) {
        return answers.stream().map(ObservedResponse::text).collect(Collectors.joining("\n\n"));
    }

    /**
     * Fails if kubemirror does not answer as expected, or does not differ where the case says that
     * it does.
     */
    void verify() {
        assertThat(actual).as(asked.toString()).isEqualTo(expected);
        if (asked.difference().filter(it -> !(it instanceof Difference.Steady)).isPresent()) {
            assertThat(equal).as("%s does not differ", asked).isFalse();
        }
    }
}
