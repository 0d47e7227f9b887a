package io.kubemirror.clients;

import static io.kubemirror.testing.scripted.ServedTypes.PODS;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.testing.scripted.ArmedFault;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;

/**
 * The rules of axe-core for accessible pages, which include the contrast of texts, on a desktop and
 * on a phone, in both color schemes.
 */
class StatusPageAccessibilityTest extends StatusPageHarness {

    private static final String VIOLATIONS =
            """
            axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.flatMap(
                ({ id, nodes }) => nodes.map(({ html, any, all, none }) =>
                    `${id}: ${html.slice(0, 160)}: ${[...any, ...all, ...none].map(({ message }) => message)}`))
                .join('\\n'))
            """;

    @BeforeEach
    void load() throws IOException {
        ExternalProgram.NPM.demand();
        tab.look(
                Files.readString(
                        NodeScripts.installed().resolve("node_modules/axe-core/axe.min.js")));
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({"1280, light", "1280, dark", "390, light", "390, dark"})
    void page_follows_the_rules_of_accessibility(int width, String scheme) {
        server.label(PODS, namespace(), "first", "version", "1");
        server.label(PODS, namespace(), "first", "version", "2");
        tab.await(told("modified\\tpods\\t%s/first\\t"));
        tab.resize(width, 844);
        tab.prefer("prefers-color-scheme", scheme);
        try (ArmedFault _ = forbidden("for a test")) {
            tab.await("document.querySelectorAll('#findings li').length > 0");
            tab.await("document.querySelectorAll('#timeline .bad').length > 0");
            compare();
            assertNothingViolated();
            tab.look("document.getElementById('filter').elements.labels.value = 'in ('");
            tab.look("document.getElementById('filter').requestSubmit()");
            tab.await("document.querySelector('#feed-status.refused') !== null");
            assertNothingViolated();
            tab.look("document.querySelector('#resources tbody button').click()");
            tab.await("document.getElementById('facts').innerText.includes('Strategy')");
            assertNothingViolated();
        }
        line.cut();
        tab.await("!document.getElementById('lost').hidden");
        tab.look("document.getElementById('close').click()");
        assertNothingViolated();
    }

    /** Finds an object and shows its history and the difference of two revisions. */
    private void compare() {
        tab.look("document.querySelector('#search [name=name]').value = 'first'");
        tab.look("document.querySelector('#search').requestSubmit()");
        String found =
                "[...document.querySelectorAll('#found button')].find(button =>"
                        + " button.innerText.startsWith('%s/'))".formatted(namespace());
        tab.await(found + " !== undefined");
        tab.look(found + ".click()");
        tab.await("document.querySelectorAll('#versions tbody tr').length > 1");
        tab.look("document.getElementById('compare').click()");
        tab.await("document.querySelectorAll('#difference tbody tr').length > 0");
    }

    private void assertNothingViolated() {
        assertThat(tab.look(VIOLATIONS).asString()).isEmpty();
    }
}
