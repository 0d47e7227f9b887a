package io.kubemirror.app;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Prints a Markdown table row by row to standard output. */
final class MarkdownTablePrinter {

    /** Prints the head of a table. */
    MarkdownTablePrinter(String title, String... columns) {
        System.out.println("\n" + title + "\n");
        print(Arrays.stream(columns));
        print(Arrays.stream(columns).map(column -> "---"));
    }

    /** Prints a row; numbers with a fraction get two places. */
    void row(Object... cells) {
        print(Arrays.stream(cells).map(MarkdownTablePrinter::text));
    }

    private static String text(Object cell) {
        return cell instanceof Double number ? "%.2f".formatted(number) : cell.toString();
    }

    private static void print(Stream<String> cells) {
        System.out.println(cells.collect(Collectors.joining(" | ", "| ", " |")));
    }
}
