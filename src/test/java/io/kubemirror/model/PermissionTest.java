package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.Permission.Verb;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PermissionTest {

    @Test
    void denial_message_has_the_wording_of_kubectl() {
        assertThat(new Permission.OnResource(Verb.WATCH, "", "", "pods", "", "").denialMessage())
                .isEqualTo("cannot watch resource \"pods\" in API group \"\" at the cluster scope");
        assertThat(
                        new Permission.OnResource(Verb.LIST, "example.com", "", "widgets", "a", "")
                                .denialMessage())
                .isEqualTo(
                        "cannot list resource \"widgets\" in API group \"example.com\" in the"
                                + " namespace \"a\"");
        assertThat(new Permission.OnPath("/version").denialMessage())
                .isEqualTo("cannot get path \"/version\"");
    }

    @ParameterizedTest
    @CsvSource({"pods, pods, ''", "pods/log, pods, log", "pods/a/b, pods, a/b"})
    void resource_is_a_plural_and_a_subresource(
            String resource, String plural, String subresource) {
        var permission = new Permission.OnResource(Verb.GET, "", "v1", resource, "a", "x");

        assertThat(permission.plural()).isEqualTo(plural);
        assertThat(permission.subresource()).isEqualTo(subresource);
    }
}
