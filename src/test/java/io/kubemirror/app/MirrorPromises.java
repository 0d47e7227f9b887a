package io.kubemirror.app;

import static io.kubemirror.testing.Manifests.configMap;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.api.http.LabelSelectorParser;
import io.kubemirror.api.http.Rejection;
import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.testing.FoldingWatcher;
import io.kubemirror.testing.ReflectorFixture;
import io.kubemirror.testing.ReflectorFixturePlan;
import io.kubemirror.testing.UpstreamServer;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a mirror promises with any source. Subclasses provide the source. */
public abstract class MirrorPromises {

    private static final AtomicInteger NAMESPACES = new AtomicInteger();

    final String namespace = "promises-" + NAMESPACES.incrementAndGet();

    protected abstract UpstreamServer server();

    /** The strategies that the source supports. */
    static List<Strategy> strategies() {
        return List.of(Strategy.values());
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void mirror_equals_api_server_after_changes(Strategy strategy) {
        given("a", "b", "c", "d", "e");
        try (ReflectorFixture fixture = mirroring(strategy)) {
            FoldingWatcher follower = new FoldingWatcher(fixture.mirror());
            follower.readUntil(fixture.truth());
            assertThat(follower.seen()).isEmpty();

            server().create(configMap(namespace, "f"));
            server().replace(configMap(namespace, "a").data("k", "v"));
            server().delete(ServedTypes.CONFIGMAPS, namespace, "b");

            follower.readUntil(fixture.truth());
            assertThat(follower.seen())
                    .containsExactly(
                            "ADDED " + path("f"), "MODIFIED " + path("a"), "DELETED " + path("b"));
        }
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void metadata_only_mirror_holds_only_metadata_and_receives_changes(Strategy strategy) {
        given("a", "b");
        server().replace(configMap(namespace, "b").data("k", "secret").label("l", "v"));
        ReflectorFixturePlan plan =
                ReflectorFixturePlan.of(ServedTypes.CONFIGMAPS)
                        .by(strategy)
                        .only(ReflectorFixture.namespace(namespace))
                        .ofMetadata();
        try (ReflectorFixture fixture = ReflectorFixture.of(server(), plan).synced()) {
            FoldingWatcher follower = new FoldingWatcher(fixture.mirror());

            server().create(configMap(namespace, "c").data("k", "secret"));
            server().replace(configMap(namespace, "a").data("k", "secret"));
            server().delete(ServedTypes.CONFIGMAPS, namespace, "b");

            follower.readUntil(fixture.truth());
            assertThat(follower.seen())
                    .containsExactly(
                            "ADDED " + path("c"), "MODIFIED " + path("a"), "DELETED " + path("b"));
            assertThat(fixture.mirror().snapshot().orElseThrow().objects())
                    .extracting(object -> new String(object.json(), StandardCharsets.UTF_8))
                    .allSatisfy(json -> assertThat(json).matches("\\{\"metadata\":\\{.*}}"))
                    .noneSatisfy(json -> assertThat(json).contains("secret"));
        }
    }

    /**
     * An object that was deleted while no watch was open arrives as a deletion, and no event
     * arrives twice.
     */
    @ParameterizedTest
    @MethodSource("strategies")
    void watch_survives_upstream_410(Strategy strategy) {
        given("kept", "changed", "deleted", "replaced");
        try (ReflectorFixture fixture = mirroring(strategy)) {
            FoldingWatcher follower = watchingFor(fixture);
            fixture.holdWaits();
            server().stop();
            fixture.awaitRest();
            server().start();
            server().delete(ServedTypes.CONFIGMAPS, namespace, "deleted");
            server().delete(ServedTypes.CONFIGMAPS, namespace, "replaced");
            server().create(configMap(namespace, "replaced"));
            server().replace(configMap(namespace, "changed").data("k", "v"));
            server().create(configMap(namespace, "created"));
            // What the server remembers now begins after these changes.
            server().restart();
            fixture.releaseWaits();

            follower.readUntil(fixture.truth());

            assertThat(follower.seen())
                    .containsExactlyInAnyOrder(
                            "ADDED " + path("first"),
                            "DELETED " + path("deleted"),
                            "DELETED " + path("replaced"),
                            "ADDED " + path("replaced"),
                            "MODIFIED " + path("changed"),
                            "ADDED " + path("created"));
            fixture.stop();
            assertThat(fixture.count(Counter.RESYNCS_BRIDGED)).isEqualTo(1);
            assertThat(fixture.count(Counter.RESYNCS_BROKEN)).isZero();
        }
    }

    /** The one case in which clients have to list again (list-watch.md#re-12). */
    @ParameterizedTest
    @MethodSource("strategies")
    void api_server_data_loss_resets_the_mirror_and_ends_watches(Strategy strategy) {
        given("a", "b", "c", "d", "e");
        // More changes than a server has made when it comes up.
        for (int i = 0; i < 100; i++) {
            server().replace(configMap(namespace, "a").data("i", Integer.toString(i)));
        }
        try (ReflectorFixture fixture = mirroring(strategy)) {
            FoldingWatcher follower = watchingFor(fixture);
            Revision lost = fixture.mirror().revision();
            fixture.holdWaits();
            server().stop();
            fixture.awaitRest();
            server().wipe();
            given("b");
            fixture.releaseWaits();

            follower.readToTheEnd();
            fixture.awaitConsistency(fixture::truth);
            assertThat(fixture.mirror().revision()).isLessThan(lost);
            assertThat(fixture.mirror().start(lost)).isInstanceOf(StartPosition.TooOld.class);
            server().create(configMap(namespace, "f"));
            new FoldingWatcher(fixture.mirror()).readUntil(fixture.truth());
            fixture.stop();
            assertThat(fixture.count(Counter.RESYNCS_BROKEN)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @MethodSource("strategies")
    void label_selector_mirror_adds_and_deletes_objects_with_the_label(Strategy strategy)
            throws Rejection {
        given("never");
        server().create(configMap(namespace, "always").label("app", "v"));
        server().create(configMap(namespace, "later"));
        Selection labeled =
                new Selection(
                        namespace, LabelSelectorParser.parse("app=v"), FieldSelector.everything());
        try (ReflectorFixture fixture =
                ReflectorFixture.of(server(), ServedTypes.CONFIGMAPS, strategy, labeled).synced()) {
            FoldingWatcher follower = new FoldingWatcher(fixture.mirror());
            follower.readUntil(fixture.truth());

            server().replace(configMap(namespace, "never").data("k", "v"));
            server().replace(configMap(namespace, "later").label("app", "v"));
            server().replace(configMap(namespace, "always").label("app", "w"));

            follower.readUntil(fixture.truth());
            assertThat(follower.seen())
                    .containsExactly("ADDED " + path("later"), "DELETED " + path("always"));
        }
    }

    private ReflectorFixture mirroring(Strategy strategy) {
        return ReflectorFixture.of(
                        server(),
                        ServedTypes.CONFIGMAPS,
                        strategy,
                        ReflectorFixture.namespace(namespace))
                .synced();
    }

    /** Starts a watching client that has received one change, so the watch is known to work. */
    private FoldingWatcher watchingFor(ReflectorFixture fixture) {
        FoldingWatcher follower = new FoldingWatcher(fixture.mirror());
        server().create(configMap(namespace, "first"));
        follower.readUntil(fixture.truth());
        return follower;
    }

    private void given(String... names) {
        server().ensureNamespace(namespace);
        List.of(names).forEach(name -> server().create(configMap(namespace, name)));
    }

    String path(String name) {
        return namespace + "/" + name;
    }
}
