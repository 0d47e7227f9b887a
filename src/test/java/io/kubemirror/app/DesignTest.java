package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.testing.Unchecked;

import org.junit.jupiter.api.Test;

/** The design page and that about hand-offs name the packages and types that exist. */
class DesignTest {

    private static final Path SOURCES = Path.of("src");

    private static final Path SHIPPED = SOURCES.resolve("main");

    /** The declaration of a type, nested or not. */
    private static final String TYPE =
            "^ *(?:[a-z]\\S* )*(?:class|interface|record|enum|@interface) (\\w+)";

    private final String page = read(Path.of("src", "docs", "design.md"));

    @Test
    void design_page_names_exactly_the_existing_packages() {
        Set<String> shipped =
                sources(SHIPPED)
                        .map(Path::getParent)
                        .map(folder -> SHIPPED.resolve("java/io/kubemirror").relativize(folder))
                        .map(folder -> folder.toString().replace(File.separatorChar, '.'))
                        .filter(name -> !name.isEmpty())
                        .collect(Collectors.toCollection(TreeSet::new));

        assertThat(named("^\\| `([a-z.]+)` \\|", page)).isSubsetOf(shipped);
        assertThat(shipped).allSatisfy(name -> assertThat(page).contains("`" + name + "`"));
    }

    @Test
    void design_page_names_only_existing_types() {
        Set<String> types =
                sources(SOURCES)
                        .flatMap(file -> named(TYPE, read(file)).stream())
                        .collect(Collectors.toSet());

        String handOffs = read(Path.of("src", "stress", "README.md"));
        assertThat(named("`([A-Z][A-Za-z0-9]+)", page)).isNotEmpty().isSubsetOf(types);
        assertThat(named("`([A-Z][A-Za-z0-9]+)", handOffs)).isNotEmpty().isSubsetOf(types);
    }

    private static Set<String> named(String pattern, String text) {
        return Pattern.compile(pattern, Pattern.MULTILINE)
                .matcher(text)
                .results()
                .map(result -> result.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Stream<Path> sources(Path root) {
        return Unchecked.call(
                () -> {
                    try (Stream<Path> files = Files.walk(root)) {
                        return files.filter(file -> file.toString().endsWith(".java")).toList();
                    }
                })
                .stream();
    }

    private static String read(Path file) {
        return Unchecked.call(() -> Files.readString(file));
    }
}
