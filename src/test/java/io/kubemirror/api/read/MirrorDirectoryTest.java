package io.kubemirror.api.read;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.ApiFixture;
import io.kubemirror.api.ApiSamples;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.api.http.RequestPath;
import io.kubemirror.api.read.MirrorDirectory.PopulatedNamespaces;
import io.kubemirror.mirror.Mirror;
import io.kubemirror.mirror.MirrorSet;
import io.kubemirror.mirror.MirrorWriter;
import io.kubemirror.model.Permission;
import io.kubemirror.model.Permission.Verb;
import io.kubemirror.model.Scope;
import io.kubemirror.model.SelectableFields.DeclaredFields;
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
    void namespaces_of_a_union_are_those_of_its_objects() {
        Scope all = pods.mirror().scope();
        MirrorWriter union = writer(new Scope(all.resource(), all.selection(), all.extent(), true));
        ApiSamples.synchronize(union, 110, ApiSamples.object("part", "x", 101));

        assertThat(directory(union.mirror(), part.mirror()).populated(PODS).names())
                .containsExactly("part");
    }

    @Test
    void mirror_without_content_and_objects_without_namespace_have_none() {
        assertThat(directory.populated(PODS).names()).isEmpty();
        assertThat(directory.populated(PODS).known()).isFalse();
        ApiSamples.synchronize(pods, 110, ApiSamples.object("", "x", 101));

        assertThat(directory.populated(PODS).names()).isEmpty();
        assertThat(directory.populated(PODS).known()).isTrue();
    }

    private static Mirror pods(String namespace, boolean several) {
        Scope plain = ApiFixture.scope("pods", namespace);
        MirrorWriter writer =
                writer(new Scope(plain.resource(), plain.selection(), plain.extent(), several));
        writer.identify(ApiSamples.PODS, DeclaredFields.NONE);
        return writer.mirror();
    }

    private static int code(MirrorDirectory directory, List<Mirror> found, boolean inNamespace) {
        RequestPath.Resource resource = new RequestPath.Resource("", "v1", "pods");
        try {
            var _ = directory.find(found, resource, inNamespace, false);
            return 200;
        } catch (Rejection rejection) {
            return rejection.reply().code();
        }
    }

    /** A client with permissions in a and b is admitted while a reload takes c away. */
    @Test
    void mirrors_of_more_namespaces_than_those_together_now_are_not_read() {
        Mirror a = pods("a", false);
        Mirror union = pods("", true);
        MirrorSet mirrors = MirrorSets.of(a, pods("c", false), union);
        MirrorDirectory reloaded =
                new MirrorDirectory(mirrors, ApiFixture.POLICIES, () -> 0, () -> true);
        List<Mirror> found = mirrors.named("pods");
        assertThat(code(reloaded, found, false)).isEqualTo(200);

        mirrors.update(List.of(a, pods("b", false), pods("", true)));

        assertThat(code(reloaded, found, false)).isEqualTo(429);
        assertThat(code(reloaded, List.of(pods("", false)), false))
                .as("all namespaces")
                .isEqualTo(429);
        assertThat(code(reloaded, found, true)).as("in a namespace").isEqualTo(200);
        mirrors.update(List.of());
        assertThat(code(reloaded, List.of(pods("", false)), false)).as("no union").isEqualTo(200);
    }
}
