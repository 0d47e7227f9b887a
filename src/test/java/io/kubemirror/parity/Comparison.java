package io.kubemirror.parity;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The two answers to a case.
 *
 * @param asked the case
 * @param genuine what the server answers
 * @param expected what kubemirror should answer
 * @param actual what it does answer
 */
record Comparison(ParityCase asked, String genuine, String expected, String actual) {

    /**
     * Compares.
     *
     * @param server answers what is asked for comparison only
     */
    static Comparison of(
            ParityCase asked,
            List<Answer> genuine,
            List<Answer> mirrored,
            Function<Request, Answer> server) {
        Answer last = genuine.getLast();
        Answer meant =
                asked.difference()
                        .map(
                                difference ->
                                        switch (difference) {
                                            case Difference.Rewritten rewritten ->
                                                    rewritten.change().apply(last);
                                            case Difference.AsTo as -> server.apply(as.other());
                                            case Difference.Steady steady -> steady.answer();
                                        })
                        .orElse(last);
        List<Answer> expected = new ArrayList<>(genuine);
        expected.set(expected.size() - 1, meant);
        return new Comparison(asked, texts(genuine), texts(expected), texts(mirrored));
    }

    private static String texts(List<Answer> answers) {
        return answers.stream().map(Answer::text).collect(Collectors.joining("\n\n"));
    }

    /** Fails unless kubemirror answers as it should, and differs only where it is said to. */
    void verify() {
        assertThat(actual).as(asked.toString()).isEqualTo(expected);
        if (asked.difference().filter(it -> !(it instanceof Difference.Steady)).isPresent()) {
            assertThat(genuine).as("%s does not differ", asked).isNotEqualTo(expected);
        }
    }
}
