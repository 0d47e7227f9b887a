package io.kubemirror.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.Intent;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;

/** What requests want, as the API server's own authorisation reads them. */
class IntentsTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/api/v1/pods                          |       | list  | '' | v1 | pods |  | ",
                "/api/v1/pods                          | watch=1 | watch | '' | v1 | pods |  | ",
                "/api/v1/pods                          | watch=0 | list  | '' | v1 | pods |  | ",
                "/api/v1/watch/pods                    |       | watch | '' | v1 | pods |  | ",
                "/api/v1/namespaces/a/pods             |       | list  | '' | v1 | pods | a | ",
                "/api/v1/namespaces/a/pods/x           |       | get   | '' | v1 | pods | a | x",
                "/api/v1/namespaces/a/pods/x/log       |       | get   | '' | v1 | pods | a | x",
                "/api/v1/watch/namespaces/a/pods/x     |       | watch | '' | v1 | pods | a | x",
                "/apis/apps/v1/deployments             |       | list  | apps | v1 | deployments |"
                        + "  | ",
                "/api/v1/pods | fieldSelector=metadata.name%3Dx | list | '' | v1 | pods |  | x",
                "/api/v1/pods | watch&fieldSelector=metadata.name%3D%3Dx | watch | '' | v1 | pods |"
                        + "  | x",
                "/api/v1/pods | fieldSelector=metadata.name!%3Dx | list | '' | v1 | pods |  | ",
                "/api/v1/pods | fieldSelector=nonsense          | list | '' | v1 | pods |  | ",
                "/api/v1/nodes/n                       |       | get   | '' | v1 | nodes |  | n",
                "/api/v1/namespaces                    |       | list  | '' | v1 | namespaces |  |"
                        + " ",
                "/api/v1/namespaces/a                  |       | get   | '' | v1 | namespaces | a |"
                        + " a",
                "/api/v1/namespaces%2fa%2fpods         |       | list  | '' | v1 | pods | a | "
            })
    void objects_are_named_with_all_that_a_role_may_name(
            String path,
            @Nullable String query,
            String verb,
            String group,
            String version,
            String resource,
            @Nullable String namespace,
            @Nullable String name) {
        assertThat(intent(path, query))
                .isEqualTo(
                        new Intent.OnResource(
                                verb, group, version, resource, text(namespace), text(name)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/version", "/api", "/apis", "/apis/apps", "/api/v1", "/x/y", "/"})
    void all_else_is_a_path(String path) {
        assertThat(intent(path, null)).isEqualTo(new Intent.OnPath(path));
    }

    private static String text(@Nullable String column) {
        return column == null ? "" : column;
    }

    private static Intent intent(String path, @Nullable String query) {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", path);
        request.setQueryString(query);
        return Intents.of(request);
    }
}
