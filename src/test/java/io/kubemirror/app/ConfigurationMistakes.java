package io.kubemirror.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import module java.base;

import org.springframework.boot.test.system.CapturedOutput;

/** What kubemirror says about mistakes in its configuration. */
public final class ConfigurationMistakes {

    private ConfigurationMistakes() {}

    /** The property and what is wrong with it, as binding finds. */
    public static String mistake(String... settings) {
        Map<String, String> all = new HashMap<>();
        for (String setting : settings) {
            int equals = setting.indexOf('=');
            all.put(setting.substring(0, equals), setting.substring(equals + 1));
        }
        Throwable failure = catchThrowable(() -> MirrorDefinition.all(BoundProperties.of(all)));
        String found = BoundProperties.mistake(failure);
        return found.isEmpty() ? String.valueOf(failure) : found;
    }

    /** What a start prints that ends with a mistake, which is no stack trace. */
    public static String printed(CapturedOutput output, String... settings) {
        assertThatThrownBy(() -> ApplicationLauncher.with(settings).close());
        return explained(output);
    }

    /** What a start has printed that has ended with a mistake, which is no stack trace. */
    static String explained(CapturedOutput output) {
        String all = output.getAll();
        int end = all.indexOf("APPLICATION FAILED TO START");
        assertThat(end).isNotNegative();
        assertThat(all.substring(end)).doesNotContain("\tat ");
        return all.substring(end);
    }
}
