package io.kubemirror.model;

import java.util.Arrays;
import java.util.Locale;

/** How names are written, and how near they are to each other. */
public final class Names {

    private Names() {}

    /** The name of a constant as configuration, metrics and documents write it: in kebab case. */
    public static String kebab(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** The number of letters to insert, delete or replace (Levenshtein's distance). */
    public static int distance(String from, String to) {
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
