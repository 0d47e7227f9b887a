package io.kubemirror.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.Permission.Verb;

import org.junit.jupiter.api.Test;

class PermissionTest {

    @Test
    void its_lack_is_told_as_kubectl_tells_it() {
        assertThat(new Permission(Verb.WATCH, "", "pods", "").lack())
                .isEqualTo("cannot watch resource \"pods\" in API group \"\" at the cluster scope");
        assertThat(new Permission(Verb.LIST, "example.com", "widgets", "a").lack())
                .isEqualTo(
                        "cannot list resource \"widgets\" in API group \"example.com\" in the"
                                + " namespace \"a\"");
    }
}
