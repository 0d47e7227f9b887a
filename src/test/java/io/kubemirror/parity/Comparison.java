package io.kubemirror.parity;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

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
            List<ObservedResponse> original,
            List<ObservedResponse> mirrored,
            Function<RawRequest, ObservedResponse> server) {
        ObservedResponse meant =
                asked.difference()
                        .map(difference -> meant(difference, original.getLast(), server))
                        .orElse(original.getLast());
        ObservedResponse actual =
                asked.difference()
                        .map(difference -> compared(difference, mirrored.getLast()))
                        .orElse(mirrored.getLast());
        return new Comparison(
                asked,
                texts(original).equals(texts(mirrored)),
                texts(withLast(original, meant)),
                texts(withLast(mirrored, actual)));
    }

    private static ObservedResponse meant(
            Difference difference,
            ObservedResponse original,
            Function<RawRequest, ObservedResponse> server) {
        return switch (difference) {
            case Difference.Rewritten rewritten -> rewritten.change().apply(original);
            case Difference.AnsweredLike as -> server.apply(as.other());
            case Difference.ExceptFor besides -> original.withBody(besides.normalized());
            case Difference.Steady steady -> steady.answer();
        };
    }

    private static ObservedResponse compared(Difference difference, ObservedResponse mirrored) {
        return difference instanceof Difference.ExceptFor besides
                ? mirrored.withBody(besides.normalized())
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
