package io.kubemirror.pairs;

import module java.base;

/**
 * A value for some of the factors, or for all of them.
 *
 * @param values the values that are chosen
 */
record Row(Map<Factor, String> values) {

    /** A row without a choice. */
    static final Row EMPTY = new Row(Map.of());

    Row {
        values = Map.copyOf(values);
    }

    /** This row with one more choice. */
    Row with(Factor factor, String value) {
        Map<Factor, String> more = new EnumMap<>(Factor.class);
        more.putAll(values);
        more.put(factor, value);
        return new Row(more);
    }

    boolean has(Factor factor) {
        return values.containsKey(factor);
    }

    /** Whether a value is chosen. */
    boolean is(Factor factor, String value) {
        return Objects.equals(values.get(factor), value);
    }

    /** Whether a value other than the plain one is chosen. */
    boolean isSpecial(Factor factor) {
        return has(factor) && !is(factor, factor.choices().getFirst());
    }

    /** Whether both choices are among those of this row. */
    boolean covers(Pair pair) {
        return is(pair.first(), pair.value()) && is(pair.second(), pair.other());
    }

    /** Two choices. */
    record Pair(Factor first, String value, Factor second, String other) {

        Row row() {
            return EMPTY.with(first, value).with(second, other);
        }
    }

    /** The choices that are not plain. */
    @Override
    public String toString() {
        return values.entrySet().stream()
                .filter(chosen -> isSpecial(chosen.getKey()))
                .sorted(Map.Entry.comparingByKey())
                .map(chosen -> chosen.getKey() + "=" + chosen.getValue())
                .collect(Collectors.joining(" "));
    }

    /** Returns what a factor is in this row. */
    String choice(Factor factor) {
        return Objects.requireNonNull(values.get(factor));
    }
}
