package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import org.junit.jupiter.api.Test;

/** The page about reloads says of each property whether it needs a restart. */
class ReloadDocumentTest {

    private static final Pattern ROW =
            Pattern.compile(
                    "^\\| `((?:kubemirror|logging)\\.[-a-z.]+)` \\| (.+) \\|$", Pattern.MULTILINE);

    private static final Pattern PROPERTY =
            Pattern.compile("^\\| `(kubemirror\\.[-a-z.\\[\\]]+)` \\|", Pattern.MULTILINE);

    private final Predicate<String> fixed = BoundProperties.records(Map.of()).fixed();
    private final Map<String, String> rows = new TreeMap<>();

    ReloadDocumentTest() throws IOException {
        ROW.matcher(Files.readString(Path.of("src", "docs", "reload.md")))
                .results()
                .forEach(row -> rows.put(row.group(1), row.group(2)));
    }

    @Test
    void every_property_is_in_a_row_that_says_what_a_reload_does() {
        assertThat(PROPERTY.matcher(ConfigurationDocument.text()).results())
                .hasSizeGreaterThan(80)
                .allSatisfy(
                        found -> {
                            String property = found.group(1);
                            String row =
                                    rows.keySet().stream()
                                            .filter(name -> isIn(property, name))
                                            .max(Comparator.comparingInt(String::length))
                                            .orElse("no row");
                            assertThat(rows.getOrDefault(row, row).equals("after a restart"))
                                    .as("%s needs a restart, in %s", property, row)
                                    .isEqualTo(fixed.test(property));
                            assertThat(rows).as(property).containsKey(row);
                        });
    }

    @Test
    void every_row_is_about_a_property() {
        String reference = ConfigurationDocument.text();

        assertThat(rows.keySet())
                .filteredOn(row -> row.startsWith("kubemirror"))
                .allMatch(
                        row ->
                                PROPERTY.matcher(reference)
                                        .results()
                                        .anyMatch(found -> isIn(found.group(1), row)));
    }

    private static boolean isIn(String property, String row) {
        return property.equals(row)
                || property.startsWith(row + ".")
                || property.startsWith(row + "[");
    }
}
