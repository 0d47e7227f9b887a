package io.kubemirror.ops.cli;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Formats rows of text in aligned columns. */
final class TextTable {

    private static final int GAP = 2;

    private final boolean titled;
    private final List<List<String>> lines = new ArrayList<>();

    /** Creates an empty table, without titles if there are none. */
    TextTable(String... titles) {
        titled = titles.length > 0;
        if (titled) {
            add(titles);
        }
    }

    final void add(String... cells) {
        lines.add(List.of(cells));
    }

    boolean isEmpty() {
        return lines.size() == (titled ? 1 : 0);
    }

    void print(PrintStream out) {
        List<Integer> widths = new ArrayList<>();
        for (List<String> line : lines) {
            for (int i = 0; i < line.size(); i++) {
                if (i == widths.size()) {
                    widths.add(0);
                }
                widths.set(i, Math.max(widths.get(i), line.get(i).length() + GAP));
            }
        }
        lines.forEach(line -> out.println(line(line, widths)));
    }

    private static String line(List<String> cells, List<Integer> widths) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < cells.size(); i++) {
            text.append(cells.get(i)).repeat(' ', widths.get(i) - cells.get(i).length());
        }
        return text.toString().stripTrailing();
    }
}
