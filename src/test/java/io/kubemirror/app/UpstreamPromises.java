package io.kubemirror.app;

import static io.kubemirror.testing.Manifests.widget;

import static org.assertj.core.api.Assertions.assertThat;

import module java.base;

import io.kubemirror.mirror.UpstreamStatus.Phase;
import io.kubemirror.reflector.ReflectorSettings.Strategy;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.FoldingWatcher;
import io.kubemirror.testing.ReflectorFixture;
import io.kubemirror.testing.ReflectorFixturePlan;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a mirror promises with any API server, beyond what it does with any source. */
abstract class UpstreamPromises extends MirrorPromises {

    @Override
    protected abstract ApiServer server();

    /** It counts as empty, and is looked for again every half a minute (list-watch.md#in-4). */
    @ParameterizedTest
    @MethodSource("strategies")
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
    @MethodSource("strategies")
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
    @MethodSource("strategies")
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
}
