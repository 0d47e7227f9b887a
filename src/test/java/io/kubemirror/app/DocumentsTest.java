package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.Unchecked;

import org.junit.jupiter.api.Test;

/** Links in the README and the pages work, and the properties and metrics that they name exist. */
class DocumentsTest {

    private static final Path README = Path.of("README.md");
    private static final Path DOCS = Path.of("src", "docs");

    @Test
    void readme_has_at_most_120_lines() {
        assertThat(read(README).lines().count()).isLessThanOrEqualTo(120);
    }

    @Test
    void readme_says_how_to_run_the_tests() {
        assertThat(read(README)).contains("\nmvn verify\n");
    }

    /** Times and sizes of the comparison are those of the last measurement. */
    @Test
    void comparison_has_measured_figures_only() {
        Pattern figure = Pattern.compile("\\d[\\d.,]*(?= (?:ms|s|MB|KB|µs)\\b)");
        String page = read(DOCS.resolve("performance.md")).split("\n## A cluster", -1)[0];
        String results = read(Path.of("src", "load", "results.md"));

        assertThat(figure.matcher(page).results().map(MatchResult::group))
                .hasSizeGreaterThan(40)
                .allMatch(results::contains);
    }

    @Test
    void readme_links_every_page() {
        String readme = read(README);

        assertThat(pages())
                .filteredOn(page -> page.startsWith(DOCS))
                .allSatisfy(page -> assertThat(readme).contains("](" + slashes(page) + ")"));
    }

    @Test
    void every_link_has_an_existing_file_and_anchor() {
        Set<String> dead = new TreeSet<>();
        for (Path page : pages()) {
            Pattern.compile("]\\(([^)\\s]+)\\)")
                    .matcher(withoutCode(read(page)))
                    .results()
                    .map(link -> link.group(1))
                    .filter(target -> !target.contains("://"))
                    .filter(target -> !targetExists(page, target))
                    .forEach(target -> dead.add(page + ": " + target));
        }

        assertThat(dead).isEmpty();
    }

    @Test
    void every_property_named_on_a_page_exists() {
        Set<String> known = properties();
        Set<String> unknown = new TreeSet<>();
        for (Path page : pages()) {
            Pattern.compile("`(kubemirror\\.[a-z][-a-z.\\[\\]]*)")
                    .matcher(read(page))
                    .results()
                    .map(name -> name.group(1).replaceFirst("\\.$", ""))
                    .filter(name -> known.stream().noneMatch(one -> isOrHolds(name, one)))
                    .forEach(name -> unknown.add(page + ": " + name));
        }

        assertThat(unknown).isEmpty();
    }

    /** The reference is compared with a running kubemirror by a test of its own. */
    @Test
    void every_metric_named_on_a_page_is_in_the_reference() {
        String reference = read(DOCS.resolve("metrics.md"));
        List<String> named =
                pages().stream()
                        .flatMap(
                                page ->
                                        Pattern.compile(
                                                        "^\\| `(kubemirror_[a-z_]+)`",
                                                        Pattern.MULTILINE)
                                                .matcher(read(page))
                                                .results())
                        .map(name -> name.group(1))
                        .toList();

        assertThat(named)
                .isNotEmpty()
                .allSatisfy(
                        name ->
                                assertThat(reference)
                                        .containsPattern("\n\\| \\**`" + name + "`\\** \\|"));
    }

    private static boolean targetExists(Path page, String target) {
        String file = target.replaceFirst("#.*", "");
        Path path = file.isEmpty() ? page : page.resolveSibling(file).normalize();
        if (!Files.exists(path)) {
            return false;
        }
        int hash = target.indexOf('#');
        return hash < 0 || anchors(read(path)).contains(target.substring(hash + 1));
    }

    /** Explicit anchors, and those that code hosts make of headings. */
    static Set<String> anchors(String text) {
        Stream<String> explicit =
                Pattern.compile("<a id=\"([-\\w]+)\">")
                        .matcher(text)
                        .results()
                        .map(a -> a.group(1));
        Stream<String> headings =
                Pattern.compile("^#+ (.+)$", Pattern.MULTILINE)
                        .matcher(text)
                        .results()
                        .map(heading -> heading.group(1).toLowerCase(Locale.ROOT))
                        .map(heading -> heading.replaceAll("[^-a-z0-9_ ]", "").replace(' ', '-'));
        return Stream.concat(explicit, headings).collect(Collectors.toSet());
    }

    private static String withoutCode(String text) {
        return text.replaceAll("(?s)```.*?```", "").replaceAll("`[^`\n]*`", "");
    }

    private static boolean isOrHolds(String name, String property) {
        return property.equals(name)
                || property.startsWith(name + ".")
                || property.startsWith(name + "[].");
    }

    private static Set<String> properties() {
        return Pattern.compile("^\\| `(kubemirror\\.[-a-z.\\[\\]]+)`", Pattern.MULTILINE)
                .matcher(read(DOCS.resolve("configuration.md")))
                .results()
                .map((MatchResult row) -> row.group(1))
                .collect(Collectors.toSet());
    }

    private static List<Path> pages() {
        return Stream.concat(markdown(Path.of("")).stream(), markdown(DOCS).stream()).toList();
    }

    private static List<Path> markdown(Path directory) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".md")).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String slashes(Path path) {
        return path.toString().replace('\\', '/');
    }

    private static String read(Path file) {
        return Unchecked.call(() -> Files.readString(file));
    }
}
