package io.kubemirror.feature.page;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.app.health.Finding.Kind;
import io.kubemirror.model.Names;

import org.junit.jupiter.api.Test;

/** Tests where the findings of the page lead. */
class RunbookLinksTest {

    private static final Pattern ENTRY = Pattern.compile("^ {4}'?([a-z-]+)'?: '(kubemirror\\w+)'");

    @Test
    void each_kind_of_finding_has_a_section_of_the_runbook() throws IOException {
        Map<String, String> links = new HashMap<>();
        for (String line : read("src/main/resources/io/kubemirror/feature/page/page-state.js")) {
            Matcher entry = ENTRY.matcher(line);
            if (entry.find()) {
                links.put(entry.group(1), entry.group(2));
            }
        }
        List<String> sections =
                read("src/docs/troubleshooting.md").stream()
                        .filter(line -> line.startsWith("### "))
                        .map(line -> line.substring(4).toLowerCase(Locale.ROOT))
                        .toList();

        assertThat(links).containsOnlyKeys(Stream.of(Kind.values()).map(Names::kebab).toList());
        assertThat(sections).containsAll(links.values());
    }

    private static List<String> read(String file) throws IOException {
        return Files.readAllLines(Path.of(file));
    }
}
