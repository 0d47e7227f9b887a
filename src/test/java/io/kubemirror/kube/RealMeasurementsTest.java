package io.kubemirror.kube;

import static io.kubemirror.testing.KubeObjects.selection;
import static io.kubemirror.testing.Manifests.configMap;

import static org.assertj.core.api.Assertions.assertThat;

import io.kubemirror.model.Scope.Extent;
import io.kubemirror.source.ResourceCollection;
import io.kubemirror.source.ResourceCollection.ObjectShape;
import io.kubemirror.source.WatchFrame;
import io.kubemirror.source.WatchStream;
import io.kubemirror.testing.ApiServer;
import io.kubemirror.testing.Results;
import io.kubemirror.testing.WatchRequests;
import io.kubemirror.testing.real.TestNamespace;
import io.kubemirror.testing.real.WithApiServer;
import io.kubemirror.testing.scripted.ServedTypes;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/** The times of changes by a real API server, from which metrics derive theirs. */
@WithApiServer
@Timeout(60)
class RealMeasurementsTest {

    private static final Duration LONG = Duration.ofMinutes(5);

    private final ApiServer server;
    private final TestNamespace namespace;

    RealMeasurementsTest(ApiServer server, TestNamespace namespace) {
        this.server = server;
        this.namespace = namespace;
    }

    /** The lag of a modification is measured by this time. */
    @Test
    void server_dates_creations_and_modifications() {
        // The API server dates no changes of an object that was created without any content.
        server.create(configMap(namespace.name(), "dated").data("a", "0"));
        try (WatchStream watch = open()) {
            WatchFrame.Added added = (WatchFrame.Added) watch.next();
            assertThat(watch.next()).isInstanceOf(WatchFrame.Bookmark.class);
            Instant created = Objects.requireNonNull(added.created());
            Instant latest = Objects.requireNonNull(added.changed());
            assertThat(latest).isAfterOrEqualTo(created);

            for (int number = 1; latest.equals(added.changed()); number++) {
                write(number);
                WatchFrame frame = watch.next();
                while (frame instanceof WatchFrame.Bookmark) {
                    frame = watch.next();
                }
                WatchFrame.Modified modified = (WatchFrame.Modified) frame;
                Instant changed = Objects.requireNonNull(modified.changed());
                assertThat(changed).isBetween(latest, Instant.now().plusSeconds(1));
                latest = changed;
            }
        }
    }

    private void write(int number) {
        server.patch(
                ServedTypes.CONFIGMAPS,
                namespace.name(),
                "dated",
                "{\"data\":{\"a\":\"" + number + "\"}}");
    }

    private WatchStream open() {
        ResourceCollection collection =
                new ResourceCollection(
                        ServedTypes.CONFIGMAPS,
                        selection(namespace.name(), "", ""),
                        ObjectShape.plain(),
                        Extent.WHOLE);
        return Results.value(
                server.connect()
                        .watch(
                                WatchRequests.withBookmarks(
                                        collection, null, true, LONG, LONG, LONG)));
    }
}
