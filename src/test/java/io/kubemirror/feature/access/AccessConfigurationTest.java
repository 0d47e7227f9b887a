package io.kubemirror.feature.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import module java.base;

import io.kubemirror.api.http.AccessControl;
import io.kubemirror.app.BoundProperties;
import io.kubemirror.kube.ReviewClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

class AccessConfigurationTest {

    private final Map<String, String> settings = new LinkedHashMap<>();

    @Test
    void access_is_open_unless_authentication_is_configured() {
        assertThat(access().isOpen()).isTrue();

        settings.put("kubemirror.access.authentication", "token-review");
        assertThat(access().isOpen()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "audiences=x | audiences: is not used; add token-review to",
                "authentication=token-review,recheck-interval=999ms | recheck-interval: is too"
                        + " short",
                "authentication=token-review,cache.allowed=-1s | cache.allowed: is too short",
                "authentication=token-review,cache.denied=-1s | cache.denied: is too short",
                "authentication=token-review,cache.grace=-1s | cache.grace: is too short"
            })
    void configuration_error_names_the_property_and_the_fix(String mistakes, String line) {
        for (String mistake : mistakes.split(",", -1)) {
            int equals = mistake.indexOf('=');
            settings.put(
                    "kubemirror.access." + mistake.substring(0, equals),
                    mistake.substring(equals + 1));
        }

        assertThatThrownBy(this::access)
                .extracting(BoundProperties::mistake, STRING)
                .startsWith("kubemirror.access." + line);
    }

    private AccessControl access() {
        return new AccessConfiguration()
                .access(
                        BoundProperties.of(settings),
                        new StaticListableBeanFactory(Map.of("reviews", new ScriptedReviews()))
                                .getBeanProvider(ReviewClient.class),
                        new SimpleMeterRegistry(),
                        InstantSource.system());
    }
}
