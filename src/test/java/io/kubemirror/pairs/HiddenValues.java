package io.kubemirror.pairs;

import module java.base;

/**
 * The marked values of a row, each of which is in a member of its own, and who may see which.
 *
 * <p>Every object has them in its content and in annotations, where they begin with {@code n}.
 */
final class HiddenValues {

    private final Row row;
    private final Map<String, String> texts = new LinkedHashMap<>();

    /** What no answer has, except one of the API server to the client's own identity. */
    private final Set<String> hidden = new LinkedHashSet<>();

    private final Set<String> shown = new ConcurrentSkipListSet<>();

    HiddenValues(Row row, int number) {
        this.row = row;
        boolean kept = row.isSpecial(Factor.KEEP);
        part("shown", number, false);
        part("dropped", number, kept || row.isSpecial(Factor.DROP));
        part("kept", number, false);
        part("other", number, kept);
    }

    private void part(String name, int number, boolean isHidden) {
        // A multiple of three characters, so that its Base64 has no padding.
        String text = "x%02d%s".formatted(number, (name + "markedvalue").substring(0, 15));
        texts.put(name, text);
        if (isHidden) {
            hidden.addAll(List.of(text, encoded(text)));
        } else if (row.isSpecial(Factor.METADATA_ONLY)) {
            hidden.addAll(List.of("\"" + text, encoded(text)));
        }
    }

    private static String encoded(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The values by the names of their members. */
    Map<String, String> texts() {
        return texts;
    }

    /** Whether objects are served as they are. */
    boolean isEmpty() {
        return hidden.isEmpty();
    }

    /**
     * Checks what a client has read.
     *
     * @param state the header {@code Kubemirror-State}
     */
    void check(String where, String state, String text) {
        if (!state.equals("passed")) {
            check(where, text);
        }
    }

    /** Checks a text for all that is hidden. */
    void check(String where, String text) {
        hidden.stream().filter(text::contains).forEach(value -> shown.add(value + " in " + where));
    }

    /** What was shown although it is hidden, and where. */
    Set<String> shown() {
        return Set.copyOf(shown);
    }
}
