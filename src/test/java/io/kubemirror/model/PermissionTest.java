package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.Permission.Verb;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PermissionTest {

    @ParameterizedTest
    @CsvSource({"pods, pods, ''", "pods/log, pods, log", "pods/a/b, pods, a/b"})
    void resource_is_a_plural_and_a_subresource(
            String resource, String plural, String subresource) {
        var permission = new Permission.OnResource(Verb.GET, "", "v1", resource, "a", "x");

        assertThat(permission.plural()).isEqualTo(plural);
        assertThat(permission.subresource()).isEqualTo(subresource);
    }
}
