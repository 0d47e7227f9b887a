package io.kubemirror.testing;

import module java.base;

/** Reads what tests keep in {@code src/test/resources/io/kubemirror}. */
public final class TestFiles {

    private static final Path ROOT = Path.of("src", "test", "resources", "io", "kubemirror");

    private TestFiles() {}

    /** Returns the text of a file. */
    public static String text(String file) {
        return Unchecked.call(() -> Files.readString(ROOT.resolve(file)));
    }

    /** Returns the lines of a file. */
    public static List<String> lines(String file) {
        return text(file).lines().toList();
    }
}
