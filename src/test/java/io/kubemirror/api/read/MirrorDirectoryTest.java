package io.kubemirror.api.read;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.read.MirrorDirectory.PopulatedNamespaces;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.Scope;
import io.kubemirror.testing.MirrorSets;
import io.kubemirror.testing.Mirrors;

import org.junit.jupiter.api.Test;

/** Tests in which namespaces a client may see objects that asks for all (list-watch.md#pn-2). */
class MirrorDirectoryTest {

    private static final Permission.OnResource PODS =
            new Permission.OnResource(Verb.LIST, "", "v1", "pods", "", "");

    private final MirrorWriter pods = writer(ApiFixture.scope("pods", ""));
    private final MirrorWriter part = writer(ApiFixture.scope("pods", "part"));
    private final MirrorDirectory directory = directory(pods.mirror(), part.mirror());

    private static MirrorDirectory directory(Mirror... mirrors) {
        return new MirrorDirectory(
                MirrorSets.of(List.of(mirrors)), ApiFixture.POLICIES, () -> 0, () -> true);
    }

    private static MirrorWriter writer(Scope scope) {
        return Mirrors.writer(Mirrors.of(scope, Mirrors.window()), System::nanoTime);
    }

    @Test
    void namespaces_are_those_of_objects_in_mirrors_of_all_namespaces() {
        ApiSamples.synchronize(
                pods,
                110,
                ApiSamples.object("a", "x", 101),
                ApiSamples.object("a", "y", 102),
                ApiSamples.object("a-b", "x", 103),
                ApiSamples.object("a0", "x", 104),
                ApiSamples.object("b", "x", 105));
        ApiSamples.synchronize(part, 120, ApiSamples.object("part", "x", 106));

        PopulatedNamespaces populated = directory.populated(PODS);

        assertThat(populated.names()).containsExactly("a", "a-b", "a0", "b");
    }

    @Test
    void mirror_without_content_and_objects_without_namespace_have_none() {
        assertThat(directory.populated(PODS).names()).isEmpty();
        assertThat(directory.populated(PODS).known()).isFalse();
        ApiSamples.synchronize(pods, 110, ApiSamples.object("", "x", 101));

        assertThat(directory.populated(PODS).names()).isEmpty();
        assertThat(directory.populated(PODS).known()).isTrue();
    }
}
