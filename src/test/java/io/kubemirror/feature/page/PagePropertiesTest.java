package io.kubemirror.feature.page;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.mirror.Window;
import io.kubemirror.model.ResourceName;
import io.kubemirror.model.ResourceType;
import io.kubemirror.model.Scope;
import io.kubemirror.model.Selection;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;

/** Tests which contents the status page may show. */
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

    private static Mirror mirror(String group, String plural) {
        Scope scope = new Scope(new ResourceName(plural), Selection.everything());
        Mirror mirror = new Mirror(scope, Window.standard(), Runnable::run, System::nanoTime);
        new MirrorWriter(mirror, () -> 0)
                .identify(
                        new ResourceType(
                                group, "v1", "Kind", plural, "kind", true, List.of(), List.of()));
        return mirror;
    }
}
