package io.kubemirror;

import static io.kubemirror.testground.Manifests.configMap;
import static io.kubemirror.testground.Manifests.widget;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.mirror.Upstream.Phase;
import io.kubemirror.model.FieldPath;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.ReflectorSettings;
import io.kubemirror.reflector.Strategy;
import io.kubemirror.testground.ApiServer;
import io.kubemirror.testground.Follower;
import io.kubemirror.testground.Manifest;
import io.kubemirror.testground.Reflection;
import io.kubemirror.testground.Types;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import tools.jackson.databind.JsonNode;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** What a mirror promises, whichever server it mirrors. */
abstract class UpstreamPromises {

    private static final String APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

    private static final AtomicInteger NAMESPACES = new AtomicInteger();

    private final String namespace = "promises-" + NAMESPACES.incrementAndGet();

    abstract ApiServer server();

    @ParameterizedTest
    @EnumSource(Strategy.class)
    void a_quiet_mirror_equals_the_server(Strategy strategy) {
        given("a", "b", "c", "d", "e");
        try (Reflection reflection = mirroring(strategy)) {
            Follower follower = new Follower(reflection.mirror());
            follower.readUntil(reflection.truth());
            assertThat(follower.seen()).isEmpty();

            server().create(configMap(namespace, "f"));
            server().replace(configMap(namespace, "a").data("k", "v"));
            server().delete(Types.CONFIGMAPS, namespace, "b");

            follower.readUntil(reflection.truth());
            assertThat(follower.seen())
                    .containsExactly(
                            "ADDED " + path("f"), "MODIFIED " + path("a"), "DELETED " + path("b"));
        }
    }

    @ParameterizedTest
    @EnumSource(Strategy.class)
    void a_mirror_of_metadata_holds_nothing_else_and_follows(Strategy strategy) {
        given("a", "b");
        server().replace(configMap(namespace, "b").data("k", "secret").label("l", "v"));
        try (Reflection reflection = mirroringMetadata(strategy)) {
            Follower follower = new Follower(reflection.mirror());

            server().create(configMap(namespace, "c").data("k", "secret"));
            server().replace(configMap(namespace, "a").data("k", "secret"));
            server().delete(Types.CONFIGMAPS, namespace, "b");

            follower.readUntil(reflection.truth());
            assertThat(follower.seen())
                    .containsExactly(
                            "ADDED " + path("c"), "MODIFIED " + path("a"), "DELETED " + path("b"));
            assertThat(reflection.mirror().snapshot().orElseThrow().objects())
                    .extracting(object -> new String(object.json(), StandardCharsets.UTF_8))
                    .allSatisfy(json -> assertThat(json).matches("\\{\"metadata\":\\{.*}}"))
                    .noneSatisfy(json -> assertThat(json).contains("secret"));
        }
    }

    /**
     * Also: what was deleted while nobody watched arrives as a deletion, and nothing arrives twice.
     */
    @ParameterizedTest
    @EnumSource(Strategy.class)
    void a_client_survives_an_upstream_410_without_seeing_it(Strategy strategy) {
        given("kept", "changed", "deleted", "replaced");
        try (Reflection reflection = mirroring(strategy)) {
            Follower follower = new Follower(reflection.mirror());
            reflection.holdWaits();
            server().stop();
            reflection.awaitRest();
            server().start();
            server().delete(Types.CONFIGMAPS, namespace, "deleted");
            server().delete(Types.CONFIGMAPS, namespace, "replaced");
            server().create(configMap(namespace, "replaced"));
            server().replace(configMap(namespace, "changed").data("k", "v"));
            server().create(configMap(namespace, "created"));
            // What the server remembers now begins after these changes.
            server().restart();
            reflection.letGo();

            follower.readUntil(reflection.truth());

            assertThat(follower.seen())
                    .containsExactlyInAnyOrder(
                            "DELETED " + path("deleted"),
                            "DELETED " + path("replaced"),
                            "ADDED " + path("replaced"),
                            "MODIFIED " + path("changed"),
                            "ADDED " + path("created"));
            reflection.stop();
            assertThat(reflection.count(Counter.RESYNCS_BRIDGED)).isEqualTo(1);
            assertThat(reflection.count(Counter.RESYNCS_BROKEN)).isZero();
        }
    }

    /** CA-4, by event and by list: what clients cannot see is no event, but its revision counts. */
    @ParameterizedTest
    @EnumSource(Strategy.class)
    void an_update_of_dropped_fields_alone_is_stored_and_no_client_sees_it(Strategy strategy) {
        server().ensureNamespace(namespace);
        server().create(applied("first"));
        try (Reflection reflection = droppingWhatWasApplied(strategy)) {
            Follower follower = new Follower(reflection.mirror());
            server().replace(applied("second"));
            reflection.caughtUpWith(server().create(configMap(namespace, "b")));
            assertThat(reflection.content()).isEqualTo(reflection.truth());

            reflection.holdWaits();
            server().stop();
            reflection.awaitRest();
            server().start();
            server().replace(applied("third"));
            JsonNode last = server().create(configMap(namespace, "c"));
            server().restart();
            reflection.letGo();

            reflection.caughtUpWith(last);
            assertThat(reflection.content()).isEqualTo(reflection.truth());
            follower.readNow();
            assertThat(follower.seen()).containsExactly("ADDED " + path("b"), "ADDED " + path("c"));
            reflection.stop();
            assertThat(reflection.count(Counter.EVENTS_HIDDEN)).isEqualTo(1);
            assertThat(reflection.count(Counter.RESYNCS_BROKEN)).isZero();
        }
    }

    private Manifest applied(String how) {
        return configMap(namespace, "a").annotation(APPLIED, how).annotation("kept", "yes");
    }

    private Reflection droppingWhatWasApplied(Strategy strategy) {
        ReflectorSettings settings =
                Reflection.settings(
                        strategy,
                        FieldPath.parse("metadata.annotations['" + APPLIED + "']"),
                        FieldPath.parse("metadata.managedFields"));
        return Reflection.of(server(), Types.CONFIGMAPS, settings, Reflection.namespace(namespace))
                .synchronised();
    }

    @Test
    void a_mirror_of_a_namespace_holds_nothing_else() {
        given("mine");
        server().ensureNamespace(namespace + "x");
        server().create(configMap(namespace + "x", "others"));
        try (Reflection reflection = mirroring(Strategy.AUTO)) {
            server().create(configMap(namespace + "x", "more"));
            server().create(configMap(namespace, "last"));
            Follower follower = new Follower(reflection.mirror());

            follower.readUntil(reflection.truth());
            assertThat(reflection.mirror().snapshot().orElseThrow().objects())
                    .extracting(object -> object.key().path())
                    .containsExactly(path("last"), path("mine"));
        }
    }

    @Test
    void a_resource_that_appears_later_is_mirrored_from_then_on() {
        server().ensureNamespace(namespace);
        try (Reflection reflection = Reflection.of(server(), Types.WIDGETS, Strategy.AUTO)) {
            reflection.holdWaits();
            reflection.awaitRest();
            assertThat(reflection.mirror().upstream().phase()).isEqualTo(Phase.ABSENT);

            server().define(Types.WIDGETS);
            server().create(widget(namespace, "w", 3));
            reflection.letGo();

            reflection.synchronised();
            new Follower(reflection.mirror()).readUntil(reflection.truth());
            assertThat(reflection.mirror().type().orElseThrow().kind()).isEqualTo("Widget");
        }
    }

    private Reflection mirroringMetadata(Strategy strategy) {
        return Reflection.ofMetadata(
                        server(), Types.CONFIGMAPS, strategy, Reflection.namespace(namespace))
                .synchronised();
    }

    private Reflection mirroring(Strategy strategy) {
        return Reflection.of(server(), Types.CONFIGMAPS, strategy, Reflection.namespace(namespace))
                .synchronised();
    }

    private void given(String... names) {
        server().ensureNamespace(namespace);
        List.of(names).forEach(name -> server().create(configMap(namespace, name)));
    }

    private String path(String name) {
        return namespace + "/" + name;
    }
}
