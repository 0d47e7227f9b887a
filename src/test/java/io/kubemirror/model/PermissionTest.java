package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.Permission.Verb;

import org.junit.jupiter.api.Test;

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
    }
}
