package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.api.http.LabelSelectorParser;
import io.kubemirror.api.http.SelectorException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.math.BigInteger;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Random selectors, printed, read and compared with what they were made from. */
class LabelSelectorPropertyTest {

    private static final int CASES = 3_000;

    private static final List<String> KEYS =
            List.of("a", "in", "notin", "example.com/a", "A_b-c.d", "n");
    private static final List<String> VALUES =
            List.of("", "b", "in", "notin", "0", "5", "05", "17", "x.Y_z-1", "9223372036854775808");
    private static final List<String> BOUNDS =
            List.of("0", "5", "005", "16", "9223372036854775807");
    private static final List<String> BLANKS = List.of("", "", " ", "\t", "\r\n", "  ");

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 20260101, 987654321})
    void selector_matches_exactly_when_all_its_requirements_match(long seed)
            throws SelectorException {
        Random random = new Random(seed);
        for (int i = 0; i < CASES; i++) {
            List<Clause> clauses = clauses(random);
            String text = print(clauses, random);
            Map<String, String> labels = labels(random);
            assertThat(LabelSelectorParser.parse(text).matches(labels))
                    .as("seed %d, case %d: '%s' on %s", seed, i, text, labels)
                    .isEqualTo(clauses.stream().allMatch(clause -> clause.holds(labels)));
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 20260101, 987654321})
    void whitespace_and_order_do_not_affect_selector_equality(long seed) throws SelectorException {
        Random random = new Random(seed);
        for (int i = 0; i < CASES; i++) {
            List<Clause> clauses = clauses(random);
            String one = print(clauses, random);
            String other = print(clauses.reversed(), random);
            assertThat(LabelSelectorParser.parse(one))
                    .as("seed %d, case %d: '%s' and '%s'", seed, i, one, other)
                    .isEqualTo(LabelSelectorParser.parse(other));
        }
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 20260101, 987654321})
    void labels_matched_by_a_selector_are_matched_by_every_selector_it_is_within(long seed)
            throws SelectorException {
        Random random = new Random(seed);
        int within = 0;
        for (int i = 0; i < CASES; i++) {
            LabelSelector inner = LabelSelectorParser.parse(print(clauses(random), random));
            LabelSelector outer = LabelSelectorParser.parse(print(clauses(random), random));
            if (inner.isWithin(outer)) {
                within++;
                for (Map<String, String> labels :
                        Stream.generate(() -> labels(random)).limit(50).toList()) {
                    assertThat(outer.matches(labels) || !inner.matches(labels))
                            .as("seed %d, case %d: %s in %s, %s", seed, i, inner, outer, labels)
                            .isTrue();
                }
            }
        }
        assertThat(within).as("seed %d: selectors within others", seed).isPositive();
    }

    private static List<Clause> clauses(Random random) {
        return Stream.generate(() -> clause(random)).limit(random.nextInt(4)).toList();
    }

    private static Clause clause(Random random) {
        String key = pick(KEYS, random);
        return switch (random.nextInt(7)) {
            case 0 -> new Clause(key, "", List.of());
            case 1 -> new Clause(key, "!", List.of());
            case 2 -> new Clause(key, random.nextBoolean() ? "=" : "==", values(1, random));
            case 3 -> new Clause(key, "!=", values(1, random));
            case 4 -> new Clause(key, "in", values(1 + random.nextInt(4), random));
            case 5 -> new Clause(key, "notin", values(1 + random.nextInt(4), random));
            default ->
                    new Clause(
                            key, random.nextBoolean() ? ">" : "<", List.of(pick(BOUNDS, random)));
        };
    }

    private static List<String> values(int count, Random random) {
        return Stream.generate(() -> pick(VALUES, random)).limit(count).toList();
    }

    private static Map<String, String> labels(Random random) {
        Map<String, String> labels = new HashMap<>();
        IntStream.range(0, random.nextInt(6))
                .forEach(_ -> labels.put(pick(KEYS, random), pick(VALUES, random)));
        return labels;
    }

    private static String print(List<Clause> clauses, Random random) {
        return clauses.stream()
                .map(clause -> clause.print(random))
                .collect(Collectors.joining(","));
    }

    private static <T> T pick(List<T> list, Random random) {
        return list.get(random.nextInt(list.size()));
    }

    /** A requirement in words: what stands between the key and its values decides. */
    private record Clause(String key, String operator, List<String> values) {

        boolean holds(Map<String, String> labels) {
            boolean present = labels.containsKey(key);
            String value = labels.getOrDefault(key, "");
            return switch (operator) {
                case "" -> present;
                case "!" -> !present;
                case "=", "==", "in" -> present && values.contains(value);
                case "!=", "notin" -> !present || !values.contains(value);
                case ">" -> isInteger(value) && compareToBound(value) > 0;
                default -> isInteger(value) && compareToBound(value) < 0;
            };
        }

        private static boolean isInteger(String value) {
            return value.matches("[0-9]+") && new BigInteger(value).bitLength() < 64;
        }

        private int compareToBound(String value) {
            return new BigInteger(value).compareTo(new BigInteger(values.getFirst()));
        }

        String print(Random random) {
            String blank = pick(BLANKS, random);
            String list = String.join(pick(BLANKS, random) + "," + blank, values);
            return switch (operator) {
                case "" -> blank + key + pick(BLANKS, random);
                case "!" -> blank + "!" + pick(BLANKS, random) + key;
                case "in", "notin" ->
                        key + " " + blank + operator + blank + "(" + list + ")" + blank;
                default -> blank + key + blank + operator + pick(BLANKS, random) + list + blank;
            };
        }
    }
}
