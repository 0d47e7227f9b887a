package io.kubemirror;

import static io.kubemirror.testing.Manifests.configMap;
import static io.kubemirror.testing.Manifests.widget;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.mirror.Mirror.StartPosition;
import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.model.FieldSelector;
import io.kubemirror.model.LabelSelector;
import io.kubemirror.model.Revision;
import io.kubemirror.model.Selection;
import io.kubemirror.model.SelectorException;
import io.kubemirror.reflector.ReflectorCounts.Counter;
import io.kubemirror.reflector.Strategy;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.FoldingWatcher;
import io.kubemirror.testing.Manifest;
import io.kubemirror.testing.ReflectorFixture;
import io.kubemirror.testing.ReflectorFixturePlan;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import tools.jackson.databind.JsonNode;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** What a mirror promises with any API server. Subclasses provide the server. */
abstract class UpstreamPromises {

    private static final String APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

    private static final AtomicInteger NAMESPACES = new AtomicInteger();

    private final String namespace = "promises-" + NAMESPACES.incrementAndGet();

    abstract ApiServer server();

    @ParameterizedTest
    @EnumSource(Strategy.class)
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
    @EnumSource(Strategy.class)
    void metadata_only_mirror_holds_only_metadata_and_receives_changes(Strategy strategy) {
        given("a", "b");
        server().replace(configMap(namespace, "b").data("k", "secret").label("l", "v"));
        try (ReflectorFixture fixture = mirroringMetadata(strategy)) {
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
    @EnumSource(Strategy.class)
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
            assertThat(fixture.count(Counter.WATCHES_EXPIRED)).isEqualTo(1);
            assertThat(fixture.count(Counter.RESYNCS_BRIDGED)).isEqualTo(1);
            assertThat(fixture.count(Counter.RESYNCS_BROKEN)).isZero();
        }
    }

    /**
     * An update that clients cannot see is not an event, but its revision counts
     * (list-watch.md#ca-4). By event and by list.
     */
    @ParameterizedTest
    @EnumSource(Strategy.class)
    void update_of_dropped_fields_is_stored_without_an_event(Strategy strategy) {
        server().ensureNamespace(namespace);
        server().create(applied("first"));
        try (ReflectorFixture fixture = droppingWhatWasApplied(strategy)) {
            FoldingWatcher follower = new FoldingWatcher(fixture.mirror());
            server().replace(applied("second"));
            fixture.caughtUpWith(server().create(configMap(namespace, "b")));
            assertThat(fixture.content()).isEqualTo(fixture.truth());

            fixture.holdWaits();
            server().stop();
            fixture.awaitRest();
            server().start();
            server().replace(applied("third"));
            JsonNode last = server().create(configMap(namespace, "c"));
            server().restart();
            fixture.releaseWaits();

            fixture.caughtUpWith(last);
            assertThat(fixture.content()).isEqualTo(fixture.truth());
            follower.readNow();
            assertThat(follower.seen()).containsExactly("ADDED " + path("b"), "ADDED " + path("c"));
            fixture.stop();
            assertThat(fixture.count(Counter.EVENTS_HIDDEN)).isEqualTo(1);
            assertThat(fixture.count(Counter.RESYNCS_BROKEN)).isZero();
        }
    }

    private Manifest applied(String how) {
        return configMap(namespace, "a").annotation(APPLIED, how).annotation("kept", "yes");
    }

    private ReflectorFixture droppingWhatWasApplied(Strategy strategy) {
        ReflectorFixturePlan plan =
                ReflectorFixturePlan.of(ServedTypes.CONFIGMAPS)
                        .by(strategy)
                        .only(ReflectorFixture.namespace(namespace))
                        .dropping(
                                "metadata.annotations['" + APPLIED + "']",
                                "metadata.managedFields");
        return ReflectorFixture.of(server(), plan).synced();
    }

    @ParameterizedTest
    @EnumSource(Strategy.class)
    void api_server_restart_sends_clients_only_changes(Strategy strategy) {
        given("a", "b");
        try (ReflectorFixture fixture = mirroring(strategy)) {
            FoldingWatcher follower = watchingFor(fixture);
            server().restart();
            server().create(configMap(namespace, "c"));

            follower.readUntil(fixture.truth());
            assertThat(follower.seen())
                    .containsExactly("ADDED " + path("first"), "ADDED " + path("c"));
        }
    }

    /** The one case in which clients have to list again (list-watch.md#re-12). */
    @ParameterizedTest
    @EnumSource(Strategy.class)
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

    @Test
    void namespace_mirror_holds_only_that_namespace() {
        given("mine");
        server().ensureNamespace(namespace + "x");
        server().create(configMap(namespace + "x", "others"));
        try (ReflectorFixture fixture = mirroring(Strategy.AUTO)) {
            server().create(configMap(namespace + "x", "more"));
            server().create(configMap(namespace, "last"));
            FoldingWatcher follower = new FoldingWatcher(fixture.mirror());

            follower.readUntil(fixture.truth());
            assertThat(fixture.mirror().snapshot().orElseThrow().objects())
                    .extracting(object -> object.key().path())
                    .containsExactly(path("last"), path("mine"));
        }
    }

    @ParameterizedTest
    @EnumSource(Strategy.class)
    void label_selector_mirror_adds_and_deletes_objects_with_the_label(Strategy strategy)
            throws SelectorException {
        given("never");
        server().create(configMap(namespace, "always").label("app", "v"));
        server().create(configMap(namespace, "later"));
        Selection labelled =
                new Selection(namespace, LabelSelector.parse("app=v"), FieldSelector.everything());
        try (ReflectorFixture fixture =
                ReflectorFixture.of(server(), ServedTypes.CONFIGMAPS, strategy, labelled)
                        .synced()) {
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

    @Test
    void resource_that_appears_later_is_mirrored() {
        server().ensureNamespace(namespace);
        withoutWidgets();
        try (ReflectorFixture fixture =
                ReflectorFixture.of(server(), ServedTypes.WIDGETS, Strategy.AUTO)) {
            fixture.holdWaits();
            fixture.restUntil(Phase.ABSENT);

            server().define(ServedTypes.WIDGETS);
            server().create(widget(namespace, "w", 3));
            fixture.releaseWaits();

            fixture.synced();
            new FoldingWatcher(fixture.mirror()).readUntil(fixture.truth());
            assertThat(fixture.mirror().type().orElseThrow().kind()).isEqualTo("Widget");
        }
    }

    private ReflectorFixture mirroringMetadata(Strategy strategy) {
        ReflectorFixturePlan plan =
                ReflectorFixturePlan.of(ServedTypes.CONFIGMAPS)
                        .by(strategy)
                        .only(ReflectorFixture.namespace(namespace))
                        .ofMetadata();
        return ReflectorFixture.of(server(), plan).synced();
    }

    /** It counts as empty, and is looked for again every half a minute (list-watch.md#in-4). */
    @ParameterizedTest
    @EnumSource(Strategy.class)
    void removed_resource_empties_the_mirror_until_it_returns(Strategy strategy) {
        givenWidget("before");
        try (ReflectorFixture fixture =
                ReflectorFixture.of(server(), ServedTypes.WIDGETS, strategy).synced()) {
            FoldingWatcher follower = new FoldingWatcher(fixture.mirror());
            fixture.holdWaits();
            server().withdraw(ServedTypes.WIDGETS);
            fixture.restUntil(Phase.ABSENT);

            follower.readToTheEnd();
            assertThat(fixture.mirror().snapshot()).isEmpty();
            assertThat(fixture.mirror().type()).isEmpty();
            assertThat(fixture.waits()).last().isEqualTo(Duration.ofSeconds(30));

            givenWidget("after");
            fixture.releaseWaits();
            fixture.awaitConsistency(fixture::truth);
            assertThat(fixture.held()).containsOnlyKeys(path("after"));
        }
    }

    /** The objects look different, so watching clients list again. */
    @ParameterizedTest
    @EnumSource(Strategy.class)
    void resource_is_mirrored_in_the_served_version(Strategy strategy) {
        givenWidget("w");
        try (ReflectorFixture fixture =
                ReflectorFixture.of(server(), ServedTypes.WIDGETS, strategy).synced()) {
            FoldingWatcher follower = new FoldingWatcher(fixture.mirror());
            server().serveInstead(ServedTypes.WIDGETS, ServedTypes.WIDGETS_V2);

            follower.readToTheEnd();
            fixture.awaitConsistency(() -> fixture.truth(ServedTypes.WIDGETS_V2));
            assertThat(fixture.mirror().type()).contains(ServedTypes.WIDGETS_V2);
            assertThat(fixture.held()).containsOnlyKeys(path("w"));
        }
    }

    @ParameterizedTest
    @EnumSource(Strategy.class)
    void resource_name_with_version_mirrors_no_other_version(Strategy strategy) {
        givenWidget("w");
        ReflectorFixturePlan pinned =
                ReflectorFixturePlan.of(ServedTypes.WIDGETS)
                        .named("widgets.v1.example.com")
                        .by(strategy);
        try (ReflectorFixture fixture = ReflectorFixture.of(server(), pinned).synced()) {
            fixture.holdWaits();
            server().serveInstead(ServedTypes.WIDGETS, ServedTypes.WIDGETS_V2);
            fixture.restUntil(Phase.ABSENT);
            assertThat(fixture.mirror().snapshot()).isEmpty();

            server().serveInstead(ServedTypes.WIDGETS_V2, ServedTypes.WIDGETS);
            fixture.releaseWaits();
            fixture.awaitConsistency(fixture::truth);
            assertThat(fixture.mirror().type()).contains(ServedTypes.WIDGETS);
        }
    }

    private void givenWidget(String name) {
        server().ensureNamespace(namespace);
        withoutWidgets();
        server().define(ServedTypes.WIDGETS);
        server().create(widget(namespace, name, 3));
    }

    private void withoutWidgets() {
        server().withdraw(ServedTypes.WIDGETS);
        server().withdraw(ServedTypes.WIDGETS_V2);
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

    private String path(String name) {
        return namespace + "/" + name;
    }
}
