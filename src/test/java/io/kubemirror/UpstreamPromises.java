package io.kubemirror;

import static io.kubemirror.testground.Manifests.configMap;
import static io.kubemirror.testground.Manifests.widget;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.mirror.Start;
import io.kubemirror.mirror.Upstream.Phase;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.model.SelectorException;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.Strategy;
import io.kubemirror.testground.ApiServer;
import io.kubemirror.testground.Follower;
import io.kubemirror.testground.Manifest;
import io.kubemirror.testground.Reflection;
import io.kubemirror.testground.ReflectionPlan;
import io.kubemirror.testground.Types;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import tools.jackson.databind.JsonNode;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
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
            Follower follower = watchingFor(reflection);
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
                            "ADDED " + path("first"),
                            "DELETED " + path("deleted"),
                            "DELETED " + path("replaced"),
                            "ADDED " + path("replaced"),
                            "MODIFIED " + path("changed"),
                            "ADDED " + path("created"));
            reflection.stop();
            assertThat(reflection.count(Counter.WATCHES_EXPIRED)).isEqualTo(1);
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
        ReflectionPlan plan =
                ReflectionPlan.of(Types.CONFIGMAPS)
                        .by(strategy)
                        .only(Reflection.namespace(namespace))
                        .dropping(
                                "metadata.annotations['" + APPLIED + "']",
                                "metadata.managedFields");
        return Reflection.of(server(), plan).synchronised();
    }

    @ParameterizedTest
    @EnumSource(Strategy.class)
    void a_restart_of_the_server_shows_a_client_nothing_but_what_changed(Strategy strategy) {
        given("a", "b");
        try (Reflection reflection = mirroring(strategy)) {
            Follower follower = watchingFor(reflection);
            server().restart();
            server().create(configMap(namespace, "c"));

            follower.readUntil(reflection.truth());
            assertThat(follower.seen())
                    .containsExactly("ADDED " + path("first"), "ADDED " + path("c"));
        }
    }

    /** RE-12: the one case in which clients have to list again. */
    @ParameterizedTest
    @EnumSource(Strategy.class)
    void a_server_that_lost_its_data_is_believed_and_clients_list_again(Strategy strategy) {
        given("a", "b", "c", "d", "e");
        // More changes than a server has made when it comes up.
        for (int i = 0; i < 100; i++) {
            server().replace(configMap(namespace, "a").data("i", Integer.toString(i)));
        }
        try (Reflection reflection = mirroring(strategy)) {
            Follower follower = watchingFor(reflection);
            Revision lost = reflection.mirror().revision();
            reflection.holdWaits();
            server().stop();
            reflection.awaitRest();
            server().wipe();
            given("b");
            reflection.letGo();

            follower.readToTheEnd();
            reflection.awaitTruth(reflection::truth);
            assertThat(reflection.mirror().revision()).isLessThan(lost);
            assertThat(reflection.mirror().start(lost)).isInstanceOf(Start.TooOld.class);
            server().create(configMap(namespace, "f"));
            new Follower(reflection.mirror()).readUntil(reflection.truth());
            reflection.stop();
            assertThat(reflection.count(Counter.RESYNCS_BROKEN)).isEqualTo(1);
        }
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

    @ParameterizedTest
    @EnumSource(Strategy.class)
    void a_mirror_of_a_label_sees_objects_come_and_go_with_it(Strategy strategy)
            throws SelectorException {
        given("never");
        server().create(configMap(namespace, "always").label("app", "v"));
        server().create(configMap(namespace, "later"));
        Selection labelled =
                new Selection(namespace, LabelSelector.parse("app=v"), FieldSelector.everything());
        try (Reflection reflection =
                Reflection.of(server(), Types.CONFIGMAPS, strategy, labelled).synchronised()) {
            Follower follower = new Follower(reflection.mirror());
            follower.readUntil(reflection.truth());

            server().replace(configMap(namespace, "never").data("k", "v"));
            server().replace(configMap(namespace, "later").label("app", "v"));
            server().replace(configMap(namespace, "always").label("app", "w"));

            follower.readUntil(reflection.truth());
            assertThat(follower.seen())
                    .containsExactly("ADDED " + path("later"), "DELETED " + path("always"));
        }
    }

    @Test
    void a_resource_that_appears_later_is_mirrored_from_then_on() {
        server().ensureNamespace(namespace);
        withoutWidgets();
        try (Reflection reflection = Reflection.of(server(), Types.WIDGETS, Strategy.AUTO)) {
            reflection.holdWaits();
            reflection.restUntil(Phase.ABSENT);

            server().define(Types.WIDGETS);
            server().create(widget(namespace, "w", 3));
            reflection.letGo();

            reflection.synchronised();
            new Follower(reflection.mirror()).readUntil(reflection.truth());
            assertThat(reflection.mirror().type().orElseThrow().kind()).isEqualTo("Widget");
        }
    }

    private Reflection mirroringMetadata(Strategy strategy) {
        ReflectionPlan plan =
                ReflectionPlan.of(Types.CONFIGMAPS)
                        .by(strategy)
                        .only(Reflection.namespace(namespace))
                        .ofMetadata();
        return Reflection.of(server(), plan).synchronised();
    }

    /** It counts as empty, and is looked for again every half a minute (IN-4). */
    @ParameterizedTest
    @EnumSource(Strategy.class)
    void a_resource_that_disappears_takes_its_objects_along_until_it_comes_back(Strategy strategy) {
        givenWidget("before");
        try (Reflection reflection =
                Reflection.of(server(), Types.WIDGETS, strategy).synchronised()) {
            Follower follower = new Follower(reflection.mirror());
            reflection.holdWaits();
            server().withdraw(Types.WIDGETS);
            reflection.restUntil(Phase.ABSENT);

            follower.readToTheEnd();
            assertThat(reflection.mirror().snapshot()).isEmpty();
            assertThat(reflection.mirror().type()).isEmpty();
            assertThat(reflection.waits()).last().isEqualTo(Duration.ofSeconds(30));

            givenWidget("after");
            reflection.letGo();
            reflection.awaitTruth(reflection::truth);
            assertThat(reflection.held()).containsOnlyKeys(path("after"));
        }
    }

    /** The objects look different, so whoever watches lists again. */
    @ParameterizedTest
    @EnumSource(Strategy.class)
    void a_resource_is_mirrored_in_the_version_that_is_served(Strategy strategy) {
        givenWidget("w");
        try (Reflection reflection =
                Reflection.of(server(), Types.WIDGETS, strategy).synchronised()) {
            Follower follower = new Follower(reflection.mirror());
            server().serveInstead(Types.WIDGETS, Types.WIDGETS_V2);

            follower.readToTheEnd();
            reflection.awaitTruth(() -> reflection.truth(Types.WIDGETS_V2));
            assertThat(reflection.mirror().type()).contains(Types.WIDGETS_V2);
            assertThat(reflection.held()).containsOnlyKeys(path("w"));
        }
    }

    @ParameterizedTest
    @EnumSource(Strategy.class)
    void a_name_with_a_version_means_no_other(Strategy strategy) {
        givenWidget("w");
        ReflectionPlan pinned =
                ReflectionPlan.of(Types.WIDGETS).named("widgets.v1.example.com").by(strategy);
        try (Reflection reflection = Reflection.of(server(), pinned).synchronised()) {
            reflection.holdWaits();
            server().serveInstead(Types.WIDGETS, Types.WIDGETS_V2);
            reflection.restUntil(Phase.ABSENT);
            assertThat(reflection.mirror().snapshot()).isEmpty();

            server().serveInstead(Types.WIDGETS_V2, Types.WIDGETS);
            reflection.letGo();
            reflection.awaitTruth(reflection::truth);
            assertThat(reflection.mirror().type()).contains(Types.WIDGETS);
        }
    }

    private void givenWidget(String name) {
        server().ensureNamespace(namespace);
        withoutWidgets();
        server().define(Types.WIDGETS);
        server().create(widget(namespace, name, 3));
    }

    private void withoutWidgets() {
        server().withdraw(Types.WIDGETS);
        server().withdraw(Types.WIDGETS_V2);
    }

    private Reflection mirroring(Strategy strategy) {
        return Reflection.of(server(), Types.CONFIGMAPS, strategy, Reflection.namespace(namespace))
                .synchronised();
    }

    /** A follower to whom one change has come, so that the watch is known to work. */
    private Follower watchingFor(Reflection reflection) {
        Follower follower = new Follower(reflection.mirror());
        server().create(configMap(namespace, "first"));
        follower.readUntil(reflection.truth());
        return follower;
    }

    private void given(String... names) {
        server().ensureNamespace(namespace);
        List.of(names).forEach(name -> server().create(configMap(namespace, name)));
    }

    private String path(String name) {
        return namespace + "/" + name;
    }
}
