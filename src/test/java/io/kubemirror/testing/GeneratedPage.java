package io.kubemirror.testing;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

/**
 * A generated page of the documentation, a generated section of one, or another generated file.
 * Every test run checks it, and writes it if the system property {@code name.write} is true.
 *
 * @param name of the page without its ending, or of the section
 * @param file where the page is
 */
public record GeneratedPage(String name, Path file) {

    /** A page in the directory of the documentation. */
    public GeneratedPage(String name) {
        this(name, Path.of("src", "docs", name + ".md"));
    }

    /** Writes the page if the property is set, and checks that it equals the text. */
    public void assertMatches(String text) throws IOException {
        if (Boolean.getBoolean(name + ".write")) {
            Files.writeString(file, text);
        }

        assertThat(Files.readString(file)).isEqualTo(text);
    }

    /** A section of a page in the directory of the documentation. */
    public static GeneratedPage section(String name, String page) {
        return new GeneratedPage(name, Path.of("src", "docs", page + ".md"));
    }

    /** Does the same for what is between the comments that begin and end the section. */
    public void assertHasSection(String text) throws IOException {
        Matcher section =
                Pattern.compile(
                                "(<!-- %s: .* -->\n)(?s:.*?)(<!-- end of %s -->)"
                                        .formatted(name, name))
                        .matcher(Files.readString(file));
        assertThat(section.find()).as("section %s of %s", name, file).isTrue();
        assertMatches(
                section.replaceFirst(found -> quoted(found.group(1) + text + found.group(2))));
    }

    private static String quoted(String text) {
        return Matcher.quoteReplacement(text);
    }

    /** Writes a page that is not committed to {@code target/docs}. */
    public static void build(String name, String text) throws IOException {
        Path directory = Files.createDirectories(Path.of("target", "docs"));
        Files.writeString(directory.resolve(name + ".md"), text);
    }
}
