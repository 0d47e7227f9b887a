package io.kubemirror.feature.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import module java.base;

import io.kubemirror.app.ApplicationLauncher;
import io.kubemirror.kube.TestCertificates;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Scope;
import io.kubemirror.model.SelectableFields.DeclaredFields;
import io.kubemirror.model.Selection;
import io.kubemirror.testing.Mirrors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Tests which contents the status page may show. */
@ExtendWith(OutputCaptureExtension.class)
class PagePropertiesTest {

    @ParameterizedTest
    @CsvSource({
        ", '', pods, false",
        "pods, '', pods, true",
        "pods, '', configmaps, false",
        "*, '', pods, true",
        "*, apps, deployments, true",
        "*, '', secrets, false",
        "secrets, '', secrets, true",
        "secrets.v1., '', secrets, true",
        "*, vault.example.com, secrets, true",
        "deployments.apps, apps, deployments, true",
        "deployments.v1.apps, apps, deployments, true",
        "deployments.extensions, apps, deployments, false",
    })
    void contents_are_shown_for_named_resources_and_secrets_only_by_name(
            String shown, String group, String plural, boolean expected) {
        PageProperties properties = new PageProperties(shown == null ? List.of() : List.of(shown));

        assertThat(properties.isShown(mirror(group, plural))).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    kubemirror.access.authentication=token-review | kubemirror.page.show-contents: would show contents without authentication
                    kubemirror.allowed-hosts=* | kubemirror.allowed-hosts: lets every web page that points a name at the status page read contents
                    management.server.port=18001 | kubemirror.page.show-contents: has no effect without a status page
                    """)
    void page_never_shows_contents_to_those_who_cannot_read_them_from_the_api(
            String setting, String line, CapturedOutput output) {
        assertThatThrownBy(
                () ->
                        ApplicationLauncher.with(
                                        "kubemirror.resources[0].resource=pods",
                                        "kubemirror.page.show-contents=*",
                                        "server.port=18001",
                                        setting)
                                .close());

        assertThat(output.getAll().lines().filter(printed -> printed.contains(" ERROR ")))
                .singleElement()
                .asString()
                .contains("kubemirror cannot start: " + line);
    }

    @Test
    void page_shows_no_contents_if_the_api_asks_for_certificates(CapturedOutput output)
            throws Exception {
        TestCertificates certificate = TestCertificates.of("kubemirror", "localhost");
        assertThatThrownBy(
                () ->
                        ApplicationLauncher.secure(
                                        certificate,
                                        "kubemirror.resources[0].resource=pods",
                                        "kubemirror.page.show-contents=pods",
                                        "server.ssl.client-auth=need")
                                .close());

        assertThat(output).contains("kubemirror.page.show-contents: would show contents without");
    }

    private static Mirror mirror(String group, String plural) {
        Scope scope = new Scope(new ResourceName(plural), Selection.everything());
        Mirror mirror = Mirrors.of(scope, Mirrors.window());
        Mirrors.writer(mirror, () -> 0)
                .identify(
                        new ResourceType(
                                group, "v1", "Kind", plural, "kind", true, List.of(), List.of()),
                        DeclaredFields.NONE);
        return mirror;
    }
}
