package io.kubemirror.ops.cli;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Formats rows of text in aligned columns. */
final class TextTable {

    private static final int GAP = 2;

    private final int titles;
    private final List<List<String>> lines = new ArrayList<>();

    private TextTable(int titles) {
        this.titles = titles;
    }

    /** Creates a table without titles. */
    static TextTable of(List<List<String>> lines) {
        TextTable table = new TextTable(0);
        table.lines.addAll(lines);
        return table;
    }

    /** Creates an empty table with titles. */
    static TextTable titled(String... titles) {
        TextTable table = new TextTable(1);
        table.add(titles);
        return table;
    }

    void add(String... cells) {
        lines.add(List.of(cells));
    }

    boolean isEmpty() {
        return lines.size() == titles;
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
