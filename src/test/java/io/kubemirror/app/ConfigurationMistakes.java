package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import module java.base;

import org.springframework.boot.test.system.CapturedOutput;

/** What kubemirror says about mistakes in its configuration. */
public final class ConfigurationMistakes {

    private ConfigurationMistakes() {}

    /** The line about a mistake that binding finds. */
    public static String mistake(String... settings) {
        Map<String, String> all = new HashMap<>();
        for (String setting : settings) {
            int equals = setting.indexOf('=');
            all.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        Throwable failure =
                catchThrowable(() -> MirrorDefinition.all(BoundProperties.records(all)));
        String line = BoundProperties.mistake(failure);
        return line.isEmpty() ? String.valueOf(failure) : line;
    }

    /** The only line that a start prints, about a mistake that needs a start to be found. */
    public static String printed(CapturedOutput output, String... settings) {
        assertThatThrownBy(() -> ApplicationLauncher.with(settings).close());
        return theLine(output.getAll());
    }

    static String theLine(String output) {
        List<String> lines = output.lines().filter(printed -> !isAboutTheStart(printed)).toList();
        assertThat(lines).hasSize(1);
        return lines.getFirst();
    }

    /** A mistake that ends a start late follows what a start says, and warns of. */
    private static boolean isAboutTheStart(String printed) {
        return printed.contains(" INFO ") || printed.contains(" WARN ");
    }
}
