package io.kubemirror.kube;

import module java.base;

/** The edit distance between names, which tells which name a wrong one may stand for. */
public final class EditDistance {

    /** The distance up to which a name is taken for another. */
    private static final int MAX_CORRECTIONS = 3;

    private EditDistance() {}

    /** Returns the closest of several names if it is close enough to be meant, else nothing. */
    public static Optional<String> nearest(String written, Collection<String> names) {
        return names.stream()
                .min(Comparator.comparingInt(name -> between(written, name)))
                .filter(
                        name ->
                                between(written, name)
                                        <= Math.min(MAX_CORRECTIONS, name.length() / 2));
    }

    /** Returns the Levenshtein distance: the number of letters to insert, delete, or replace. */
    public static int between(String from, String to) {
        int[] row = new int[to.length() + 1];
        Arrays.setAll(row, i -> i);
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[to.length()];
    }
}
